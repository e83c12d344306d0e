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
  async handle(_request, { console: { facts }, accounts: { methods } }) {
    const { registration, email_code, passkey, qr, providers } = methods;
    const offered = { password: true, email_code, passkey, qr, provider: providers.length > 0 };
    const data = {
      ...facts,
      locales: [...locales],
      registration,
      sign_in_methods: Object.entries(offered).flatMap(([name, isOffered]) => (isOffered ? [name] : [])),
    };
    return { status: 200, data, headers: { 'Cache-Control': 'public, max-age=60' } };
  },
});
