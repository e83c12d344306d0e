import { isIPv6 } from 'node:net';
import { MAX_AUDITED_SERVERS, type NameServerOutcome } from '@vantage/shared/probe-types/zone-audit.js';
import { within } from '../../net/deadline.js';
import { askUdpThenTcp, type QuerySpec } from '../../net/dns/ask.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { isSameName } from '../../net/dns/name.js';
import { addressOf, targetNameOf } from '../../net/dns/record-data.js';
import type { NamedServer } from '../../net/dns/root-hints.js';
import { hasWorldRoute } from '../../net/route.js';
import { systemErrorName } from '../../net/socket-failure.js';
import { judgeAnswer } from '../dns/delegation.js';
import { findDelegation } from '../dns/trace.js';
import { ProbeFailure, refusing } from '../failure.js';
import { type AuditContext, shownName } from './audit-context.js';
import type { AuditedServer, ZoneFacts } from './facts.js';
import { keyOf, soaOf } from './record-values.js';

/** Milliseconds that one server has, and after which a query is repeated: one lost datagram is no fault of a zone. */
const TRY_MS = 2500;
const REPEAT_MS = 1000;

/** Name servers of a zone, in its delegation or, where the parent shows none, in the zone itself. */
interface FoundServers {
  readonly servers: readonly NamedServer[];
  readonly isDelegation: boolean;
}

/**
 * Name servers of a zone, found from the root.
 * @throws ProbeFailure dns_nxdomain, dns_nodata for a name that is no zone, and those of a walk; or the signal's reason
 */
export async function findServers(zone: string, context: AuditContext): Promise<FoundServers> {
  const { signal, clock, budget, port } = context;
  const walk = { querySpec: querySpecFor(zone, 'NS'), transport: 'udp', signal, clock, budget, context, port } as const;
  const found = await findDelegation(zone, { ...walk, onStep: () => {} });
  if ('delegation' in found) return { servers: found.delegation.servers, isDelegation: true };
  const { answer } = found;
  if (answer.rcode === 'NXDOMAIN') throw new ProbeFailure('dns_nxdomain', `"${zone}" does not exist (NXDOMAIN)`);
  const names = nameServersIn(answer, zone);
  if (names.length === 0) throw new ProbeFailure('dns_nodata', `"${zone}" is not a zone of its own`);
  return { servers: names.map((name) => ({ name, addresses: glueOf(answer, name) })), isDelegation: false };
}

/** Response of each name server to a question for the SOA record; of the first ones only. */
export function auditServers(
  zone: string,
  servers: readonly NamedServer[],
  context: AuditContext,
): Promise<AuditedServer[]> {
  return Promise.all(
    servers.map((server, i) => auditServer(zone, server, i < MAX_AUDITED_SERVERS ? context : null, context)),
  );
}

/** Data that only a server of the zone itself has: its own list of servers, its keys, and an alias at its name. */
export async function askAuthority(
  zone: string,
  address: string,
  context: AuditContext,
): Promise<Pick<ZoneFacts, 'child' | 'keys' | 'hasApexAlias'>> {
  const ask = async (type: string) => {
    const asked = await askServer(querySpecFor(zone, type), address, context);
    return asked instanceof ProbeFailure || asked.rcode !== 'NOERROR' ? null : asked;
  };
  const [ns, a, dnskey] = await Promise.all([ask('NS'), ask('A'), ask('DNSKEY')]);
  const child = ns === null ? [] : nameServersIn(ns, zone).map((name) => shownName(name, context));
  return {
    child: child.length === 0 ? null : child,
    keys: dnskey && dnskey.answers.flatMap((record) => keyOf(record) ?? []),
    hasApexAlias: a && a.answers.some(({ type, name }) => type === 'CNAME' && isSameName(name, zone)),
  };
}

async function auditServer(
  zone: string,
  server: NamedServer,
  queried: AuditContext | null,
  context: AuditContext,
): Promise<AuditedServer> {
  const blank = { name: shownName(server.name, context), address: null, reason: null, soa: null };
  if (queried === null) return { ...blank, outcome: 'untried' };
  const address = await addressFor(server, queried);
  if (address instanceof ProbeFailure) {
    const outcome = outcomeOf(address);
    return { ...blank, outcome: outcome === 'not_allowed' || outcome === 'untried' ? outcome : 'unresolved' };
  }
  if (address === null) return { ...blank, outcome: 'untried' };
  const querySpec = querySpecFor(zone, 'SOA');
  const message = await askServer(querySpec, address, queried);
  if (message instanceof ProbeFailure) {
    const outcome = outcomeOf(message) ?? 'unreachable';
    return { ...blank, outcome, address: outcome === 'not_allowed' ? null : address };
  }
  const { outcome } = judgeAnswer(message, querySpec.question, zone);
  const soa = message.answers.map(soaOf).find((numbers) => numbers !== null) ?? null;
  if (outcome === 'answer') return { ...blank, address, outcome, soa };
  const reason = message.rcode === 'NOERROR' ? 'not_authoritative' : message.rcode;
  return { ...blank, address, outcome: 'lame', reason };
}

/** Glue where the parent gives it, else an address that the node's resolver has; null if there is only IPv6, which the node lacks. */
async function addressFor(
  { name, addresses }: NamedServer,
  context: AuditContext,
): Promise<string | ProbeFailure | null> {
  const { policy, resolver, signal, budget } = context;
  const known = addresses.find((address) => !isIPv6(address)) ?? addresses[0];
  if (known !== undefined) return isUsable(known);
  for (const ipVersion of ['v4', 'v6'] as const) {
    try {
      const host = { kind: 'name', name } as const;
      const resolution = await resolver.resolve({ host, ipVersion, policy, signal, budget, field: 'server' });
      return await isUsable(resolution.addresses[0]?.address ?? '');
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      if (error.code !== 'dns_nodata' || ipVersion === 'v6') return error;
    }
  }
  return null;
}

async function isUsable(address: string): Promise<string | null> {
  return !isIPv6(address) || (await hasWorldRoute(6)) ? address : null;
}

/** The response of one server, or why there is none. */
async function askServer(
  querySpec: QuerySpec,
  address: string,
  context: AuditContext,
): Promise<DnsMessage | ProbeFailure> {
  const { policy, clock, budget, signal, port } = context;
  const reason = () => new ProbeFailure('dns_timeout', `no response within ${TRY_MS} ms`);
  try {
    refusing(() => policy.checkAddress(address, 'server'));
    const reply = await within({ clock, ms: TRY_MS, reason }, signal, (limited) =>
      askUdpThenTcp(querySpec, { address, port }, { signal: limited, clock, budget, resendAfterMs: REPEAT_MS }),
    );
    return reply.message;
  } catch (error) {
    if (error instanceof ProbeFailure) return error;
    throw error;
  }
}

/** Null for a failure that shows nothing: the end of the budget or of the audit counts as not tried. */
function outcomeOf({ code, cause, message }: ProbeFailure): NameServerOutcome | null {
  if (systemErrorName(cause) !== null) return 'unreachable';
  if (code === 'target_not_allowed') return 'not_allowed';
  if (code === 'dns_timeout') return 'timeout';
  if (code === 'timeout' || code === 'cancelled' || message.endsWith('DNS queries')) return 'untried';
  return null;
}

function querySpecFor(name: string, type: string): QuerySpec {
  return { question: { name, type }, isRecursive: false, wantsSignatures: false, wantsNsid: false };
}

function nameServersIn({ answers }: DnsMessage, zone: string): string[] {
  return answers
    .filter(({ type, name }) => type === 'NS' && isSameName(name, zone))
    .flatMap((one) => targetNameOf(one) ?? []);
}

function glueOf({ additionals }: DnsMessage, server: string): string[] {
  return additionals.filter(({ name }) => isSameName(name, server)).flatMap((record) => addressOf(record) ?? []);
}
