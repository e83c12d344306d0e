import { Type } from 'typebox';
import { locales } from '../../../http/locale.js';
import { defineRoute } from '../../../http/route.js';

/** Facts about this installation that the console shows, the same for everybody. */
export const ConsoleConfigSchema = Type.Object(
  {
    version: Type.String(),
    public_url: Type.String(),
    /** Areas that exist here. */
    features: Type.Array(Type.String()),
    locales: Type.Array(Type.Enum([...locales], { type: 'string' })),
    /** True if anyone may create an account. */
    registration: Type.Boolean(),
    /** True if an address must be verified before its user signs in. */
    verified_sign_in: Type.Boolean(),
    sign_in_methods: Type.Array(Type.String()),
    /** Commands for the machine of a future node; both are null if the public URL is plain http of another machine. */
    enroll: Type.Object(
      {
        /** Installs an agent and asks for the token; null if there is no release. */
        installer: Type.Union([Type.String(), Type.Null()]),
        /** For an agent that is installed already, with the token in token.txt. */
        agent: Type.Union([Type.String(), Type.Null()]),
      },
      { additionalProperties: false },
    ),
    abuse_contact: Type.Union([Type.String(), Type.Null()]),
    /** False if the public URL is not https. */
    is_secure: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** GET /console/config. */
export const consoleConfig = defineRoute({
  operationId: 'getConsoleConfig',
  method: 'GET',
  path: '/console/config',
  summary: 'Facts about this installation for the console',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: ConsoleConfigSchema },
  errors: [],
  isDocumented: false,
  async handle(_request, { console: { facts }, accounts: { methods }, releases }) {
    const { registration, email_code, passkey, qr, providers } = methods;
    const offered = { password: true, email_code, passkey, qr, provider: providers.length > 0 };
    const data = {
      ...facts,
      locales: [...locales],
      registration,
      enroll: { installer: releases.command, agent: releases.agentCommands },
      sign_in_methods: Object.entries(offered).flatMap(([name, isOffered]) => (isOffered ? [name] : [])),
    };
    return { status: 200, data, headers: { 'Cache-Control': 'public, max-age=60' } };
  },
});
