import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkSmtpPort } from '../target-policy/ports.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  nullableMilliseconds,
  nullableString,
  outcomeFields,
  portParam,
  resolvedIpField,
  specOf,
  timeoutParam,
} from './fields.js';
import { smtpLines } from './smtp-lines.js';
import { meanOf, roundMs } from './statistics.js';
import { findPort, hostOf } from './target-port.js';
import { TlsSchema } from './tls-report.js';

/** Port on which mail servers listen for each other (RFC 5321 section 4.5.4.2). */
const DEFAULT_PORT = 25;
/** TLS from the first byte (RFC 8314 section 3.3). */
const IMPLICIT_TLS_PORT = 465;
/** Lines of one reply that are kept at most. */
export const MAX_REPLY_LINES = 100;

const Params = Type.Object(
  {
    port: Type.Optional({
      ...portParam,
      description: '25 (the default), 465, 587 or 2525; 465 is TLS from the start.',
    }),
    starttls: Type.Enum(['auto', 'require', 'never'], {
      type: 'string',
      default: 'auto',
      description: 'auto: use STARTTLS if it is offered; require: fail if it is not; never: do not encrypt.',
    }),
    verify_tls: Type.Boolean({
      default: false,
      description: 'Fail the probe if the certificate is invalid; it is recorded in any case.',
    }),
    ip_version: ipVersionParam,
    timeout_ms: timeoutParam(1000, 30000, 10000, 'Deadline of the whole probe, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A mail server: a host, or host:port.', Params);

const Starttls = Type.Object(
  {
    offered: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'True if the reply to EHLO offered it; null without a reply, or with TLS from the start.',
    }),
    asked: Type.Boolean({ description: 'True if the node sent STARTTLS.' }),
    done: Type.Boolean({ description: 'True if the session continued over TLS.' }),
  },
  { additionalProperties: false },
);

const Timing = Type.Object(
  {
    dns_ms: nullableMilliseconds('Name resolution; 0 for a literal address.'),
    tcp_ms: nullableMilliseconds('TCP connect.'),
    banner_ms: nullableMilliseconds('From connected, or TLS established from the start, to the end of the greeting.'),
    ehlo_ms: nullableMilliseconds('From sending the first EHLO to the end of its reply.'),
    tls_ms: nullableMilliseconds('TLS handshake; null without TLS.'),
  },
  { additionalProperties: false, description: 'Includes phases measured before a failure.' },
);

const replyLines = (description: string) => Type.Array(Type.String(), { maxItems: MAX_REPLY_LINES, description });

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    port: Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()]),
    banner: nullableString(
      'The greeting without its code, lines joined by \\n; anything except printable ASCII is escaped.',
    ),
    ehlo: replyLines(
      'The lines of the last reply to EHLO without their code: the name of the server, then its extensions.',
    ),
    ehlo_before_tls: Type.Optional(replyLines('The unencrypted reply, if STARTTLS was used.')),
    starttls: Starttls,
    tls: Type.Union([TlsSchema, Type.Null()]),
    timing: Timing,
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    banner_avg_ms: nullableMilliseconds('Mean time to the greeting over successful nodes.'),
    tls_count: Type.Integer({ minimum: 0, description: 'Successful nodes that used TLS with the server.' }),
  },
  { additionalProperties: false },
);

type SmtpSpec = Static<typeof Spec>;
type SmtpResult = Static<typeof Result>;

/** The port to connect to. @throws TargetError for two that differ */
export function smtpPort(spec: SmtpSpec): number {
  return findPort(spec) ?? DEFAULT_PORT;
}

/** True if TLS begins with the first byte on this port. */
export function isImplicitTlsPort(port: number): boolean {
  return port === IMPLICIT_TLS_PORT;
}

function checkTarget(spec: SmtpSpec, policy: TargetPolicy): void {
  const host = hostOf(spec);
  policy.checkHost(host);
  checkSmtpPort(smtpPort(spec), host, policy);
}

function tlsCell({ tls, starttls }: SmtpResult): string {
  if (tls !== null) return textCell(tls.protocol);
  return starttls.offered === true ? 'offered' : '-';
}

/** The opening of an SMTP session (RFC 5321): greeting, EHLO, STARTTLS, QUIT. Never MAIL. */
export const smtp = {
  type: 'smtp',
  title: 'SMTP',
  summary: 'The greeting, extensions and certificate of a mail server, without sending mail',
  capability: null,
  Params,
  formParams: ['port', 'starttls'],
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'mail.example.com',
  deadlineMs: ({ params }: SmtpSpec) => params.timeout_ms + 2000,
  targetWeight: () => 1,
  blank: () => ({
    resolved_ip: null,
    ip_version: null,
    port: null,
    banner: null,
    ehlo: [],
    starttls: { offered: null, asked: false, done: false },
    tls: null,
    timing: { dns_ms: null, tcp_ms: null, banner_ms: null, ehlo_ms: null, tls_ms: null },
  }),
  targetHost: hostOf,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Banner', isInDetails: true, cell: (r: SmtpResult) => textCell(r.banner) },
    { title: 'TLS', isInDetails: true, cell: tlsCell },
    {
      title: 'Certificate until',
      isInDetails: true,
      cell: (r: SmtpResult) => textCell((r.tls?.ends_first?.not_after ?? r.tls?.not_after)?.slice(0, 10) ?? null),
    },
    { title: 'Connect', cell: (r: SmtpResult) => msCell(r.timing.tcp_ms) },
    { title: 'Greeting', cell: (r: SmtpResult) => msCell(r.timing.banner_ms) },
    { title: 'EHLO', cell: (r: SmtpResult) => msCell(r.timing.ehlo_ms) },
    { title: 'Address', cell: (r: SmtpResult) => textCell(r.resolved_ip) },
  ],
  details: { shows: ['banner', 'ehlo', 'ehlo_before_tls', 'tls'], lines: smtpLines },
  summarise: (results: readonly SmtpResult[]) => {
    const successes = results.filter((r) => r.success);
    return {
      banner_avg_ms: roundMs(meanOf(successes.map((r) => r.timing.banner_ms).filter((value) => value !== null))),
      tls_count: successes.filter((r) => r.tls !== null).length,
    };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
