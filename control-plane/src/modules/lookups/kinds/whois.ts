import { nullable } from '@vantage/shared/nullable.js';
import { type AskedRegistryServer, domain as registration } from '@vantage/shared/probe-types/domain.js';
import { registrableDomain } from '@vantage/shared/target-policy/registrable-domain.js';
import { type Static, Type } from 'typebox';
import { nodeLookup } from './lookup.js';
import { membersOf } from './members.js';
import { hostText, MAX_Q, readHost, unicodeDomain } from './read-q.js';
import { THIRD_PARTY_FAILED_MS, thirdPartyFailed } from './third-party.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOON_MS = 30 * DAY_MS;

const {
  success: _success,
  error: _error,
  asked: _asked,
  lookup_ms: _lookup,
  ...fields
} = registration.Result.properties;

/** Members of the measurement that the answer repeats. */
const repeated = Object.keys(fields) as (keyof typeof fields)[];

const Data = Type.Object(
  { ...fields, unicode_domain: nullable(Type.String(), 'The domain in Unicode; null for an address.') },
  { additionalProperties: false, title: 'WhoisLookup' },
);

/** Registration of a domain or an address, as the lookup returns it. */
export type WhoisAnswer = Static<typeof Data>;

/** Registration of a domain or of an address at its registry. */
export const whois = nodeLookup({
  kind: 'whois',
  summary: 'Get the registration of a domain or address',
  description:
    'Registry data by RDAP or, where that is missing, WHOIS; of a host name that of its registrable domain. Names, streets, telephone numbers and mail addresses of natural persons are never included. What is not registered has `registered` false. An answer is fresh for 6 hours, or 1 hour within 30 days of the end of the registration; for an address 24 hours.',
  options: {},
  qDescription: `A domain or an address without scheme, at most ${MAX_Q} characters.`,
  qExample: 'example.com',
  Data,
  version: 1,
  deadlineMs: 25_000,
  staleMs: 7 * DAY_MS,
  measures: 'domain',
  readQuestion({ q }, policy) {
    const host = readHost(q, policy);
    const asked = host.kind === 'name' ? ({ kind: 'name', name: registrableDomain(host.name) } as const) : host;
    return { text: hostText(asked), host: asked, options: {} };
  },
  specOf: ({ host }, shutServers) => ({
    target: hostText(host),
    params: { skip_servers: [...shutServers], timeout_ms: 20_000 },
  }),
  serversOf: ({ asked }) => asked,
  judge(result, { nowMs, shutTimes }) {
    const { error, asked } = result;
    if (error !== null) return thirdPartyFailed(error.message, retryMs(asked, shutTimes));
    const data = membersOf(result, repeated);
    const unicode = data.domain === null ? null : unicodeDomain(data.domain);
    return { isFailure: false, data: { ...data, unicode_domain: unicode }, freshMs: freshMs(data, nowMs) };
  },
});

interface Registered {
  readonly kind: 'domain' | 'address' | null;
  readonly registered: boolean | null;
  readonly expires_at: string | null;
}

function freshMs({ kind, registered, expires_at }: Registered, nowMs: number): number {
  if (kind === 'address') return DAY_MS;
  if (registered === false) return 10 * 60_000;
  const endMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  return endMs - nowMs < SOON_MS ? HOUR_MS : 6 * HOUR_MS;
}

/** Time until the first server that might have answered may be asked again: one that failed, at any time. */
function retryMs(asked: readonly AskedRegistryServer[], shutTimes: ReadonlyMap<string, number>): number {
  const silent = asked.filter(({ outcome }) => outcome !== 'answered');
  const waits = silent.map(({ server }) => shutTimes.get(server) ?? 0);
  return Math.max(THIRD_PARTY_FAILED_MS, waits.length === 0 ? 0 : Math.min(...waits));
}
