import { ProbeErrorSchema } from '@vantage/shared/probe-types/error-codes.js';
import { portParam } from '@vantage/shared/probe-types/fields.js';
import { SslResultSchema } from '@vantage/shared/probe-types/ssl-result.js';
import { checkSslPort } from '@vantage/shared/target-policy/ports.js';
import { type Static, Type } from 'typebox';
import { nodeLookup } from './lookup.js';
import { membersOf } from './members.js';
import { MAX_Q, readDomain, unicodeDomain } from './read-q.js';

const MINUTE_MS = 60_000;

const { success: _success, error: _error, ...fields } = SslResultSchema.properties;

/** Members of the probe's result that the answer repeats. */
const repeated = Object.keys(fields) as (keyof typeof fields)[];

const Data = Type.Object(
  {
    ...fields,
    unicode_domain: Type.Union([Type.String(), Type.Null()], { description: 'The domain in Unicode.' }),
    error: Type.Union([ProbeErrorSchema, Type.Null()], { description: 'Reason why there was no handshake.' }),
  },
  { additionalProperties: false, title: 'SslLookup' },
);

/** Audit of a TLS server, as the lookup returns it. */
export type SslAnswer = Static<typeof Data>;

/** Certificate, protocol versions and grade of a server: the audit of the `ssl` probe by one node. */
export const ssl = nodeLookup({
  kind: 'ssl',
  summary: 'Get an SSL audit',
  description:
    'Certificate, chain, protocol versions, cipher suites and grade of a TLS server, as the ssl probe measures them from one node. Without a handshake `valid` is false, `grade` null, and `error` tells why. An answer is fresh for 15 minutes.',
  options: {
    port: Type.Optional({ ...portParam, default: 443, description: 'Port, 1 to 65535.' }),
  },
  qDescription: `A domain without scheme, at most ${MAX_Q} characters.`,
  qExample: 'example.com',
  Data,
  version: 1,
  deadlineMs: 20_000,
  staleMs: 0,
  measures: 'ssl',
  readQuestion({ q, port = 443 }, policy) {
    const host = readDomain(q, policy);
    checkSslPort(Number(port), 'port');
    return { text: `${host.name} port=${port}`, host, options: { port } };
  },
  specOf: ({ host, options }) => ({
    target: host.kind === 'name' ? host.name : host.address,
    params: { port: Number(options['port']), ip_version: 'auto', timeout_ms: 15_000 },
  }),
  judge(result) {
    const { success, error } = result;
    const audit = membersOf(result, repeated);
    const unicode = audit.domain === null ? null : unicodeDomain(audit.domain);
    const data = { ...audit, unicode_domain: unicode, valid: audit.valid ?? false, error };
    return { isFailure: false, data, freshMs: success ? 15 * MINUTE_MS : MINUTE_MS };
  },
});
