import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { HIDDEN_VALUE } from '@vantage/shared/probe-types/dns-hidden.js';
import type { DnsTraceStep, TraceOutcome } from '@vantage/shared/probe-types/dns-trace.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { within } from '../../net/deadline.js';
import { askTcp, askUdpThenTcp, noProgress, type QuerySpec } from '../../net/dns/ask.js';
import type { AskOptions, Progress } from '../../net/dns/ask-options.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { isSameName } from '../../net/dns/name.js';
import type { NamedServer } from '../../net/dns/root-hints.js';
import { type Endpoint, formatEndpoint } from '../../net/endpoint.js';
import { hasRoute } from '../../net/route.js';
import { systemErrorName } from '../../net/socket-failure.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure, refusingAs } from '../failure.js';
import { type Delegation, judgeAnswer } from './delegation.js';

const DNS_PORT = 53;
/** Milliseconds one server has before the next one is asked. */
const TRY_MS = 1500;
/** Servers of one zone that are tried, addresses of each, and zones on the way. */
const MAX_SERVERS_PER_ZONE = 6;
const MAX_ADDRESSES_PER_SERVER = 2;
const MAX_ZONES = 16;
/** Steps that a result keeps. */
const MAX_STEPS = 32;

export interface WalkOptions extends Pick<AskOptions, 'signal' | 'clock' | 'budget' | 'watch'> {
  readonly querySpec: QuerySpec;
  readonly transport: 'udp' | 'tcp';
  readonly context: Pick<ProbeContext, 'policy' | 'resolver' | 'rootServers'>;
  /** Port of every server; 53 but in tests. */
  readonly port?: number;
  /** Hears of every server in turn, also of those that did not help. */
  readonly onStep: (step: DnsTraceStep) => void;
}

/** Server of the final answer, and the progress that led there. */
export interface Walked {
  readonly server: Endpoint;
  readonly progress: Progress;
}

/**
 * Queries the servers of the root, follows each referral one zone down, and ends at the first authoritative answer.
 * After a server that is silent, lame or not allowed, the next one of its zone is queried.
 * @throws ProbeFailure when no server of a zone helps; or the signal's reason
 */
export async function walkDelegations(options: WalkOptions): Promise<Walked> {
  const walk = new Walk(options, await hasIPv6(options));
  let delegation = rootDelegation(options);
  for (let zones = 0; zones < MAX_ZONES; zones += 1) {
    const outcome = await walk.askZone(delegation);
    if ('server' in outcome) return outcome;
    delegation = outcome;
  }
  throw tooManyZones();
}

/** Delegation of a zone, or the final answer of a server that is above it and also serves it, or knows no such zone. */
export type FoundDelegation = { readonly delegation: Delegation } | { readonly answer: DnsMessage };

/**
 * Walks down from the root as `walkDelegations` does, but queries no server of `zone` itself.
 * @throws ProbeFailure when no server of a zone above helps; or the signal's reason
 */
export async function findDelegation(zone: string, options: WalkOptions): Promise<FoundDelegation> {
  const walk = new Walk(options, await hasIPv6(options));
  let delegation = rootDelegation(options);
  for (let zones = 0; zones < MAX_ZONES; zones += 1) {
    const outcome = await walk.askZone(delegation);
    if ('server' in outcome) return { answer: answerOf(outcome) };
    if (isSameName(outcome.zone, zone)) return { delegation: outcome };
    delegation = outcome;
  }
  throw tooManyZones();
}

function answerOf({ progress: { reply } }: Walked): DnsMessage {
  if (reply === null) throw new RangeError('a walk ended without a result');
  return reply.message;
}

/** The servers of the root, from a random one on. */
function rootDelegation({ context: { rootServers: roots } }: WalkOptions): Delegation {
  const start = randomInt(Math.max(1, roots.length));
  return { zone: '.', servers: [...roots.slice(start), ...roots.slice(0, start)] };
}

function tooManyZones(): ProbeFailure {
  return new ProbeFailure('dns_error', `more than ${MAX_ZONES} zones on the way`);
}

function hasIPv6({ context: { rootServers }, signal }: WalkOptions): Promise<boolean> {
  const address = rootServers.flatMap(({ addresses }) => addresses).find((candidate) => isIPv6(candidate));
  return hasRoute(address ?? '2001:500:2f::f', signal);
}

class Walk {
  readonly #options: WalkOptions;
  readonly #hasIPv6: boolean;
  #stepCount = 0;

  constructor(options: WalkOptions, hasRouteToIPv6: boolean) {
    this.#options = options;
    this.#hasIPv6 = hasRouteToIPv6;
  }

  /** The delegation below, or the final answer. */
  async askZone({ zone, servers }: Delegation): Promise<Delegation | Walked> {
    const outcomes = new Set<TraceOutcome>();
    for (const server of servers.slice(0, MAX_SERVERS_PER_ZONE)) {
      for (const address of await this.#addressesOf(zone, server, outcomes)) {
        const found = await this.#askServer(zone, server.name, { address, port: this.#options.port ?? DNS_PORT });
        if (typeof found !== 'string') return found;
        outcomes.add(found);
      }
    }
    throw noHelp(zone, outcomes);
  }

  /** Glue where there is some, else what the node's resolver says. IPv6 first, where there is a way. */
  async #addressesOf(zone: string, server: NamedServer, outcomes: Set<TraceOutcome>): Promise<string[]> {
    const { policy, resolver } = this.#options.context;
    const { signal, budget } = this.#options;
    let { addresses } = server;
    if (addresses.length === 0) {
      try {
        const host = { kind: 'name', name: server.name } as const;
        const resolution = await resolver.resolve({ host, ipVersion: 'auto', policy, signal, budget, field: 'server' });
        addresses = resolution.addresses.map(({ address }) => address);
      } catch (error) {
        if (signal.aborted || !(error instanceof ProbeFailure)) throw error;
        const outcome = error.code === 'target_not_allowed' ? 'not_allowed' : 'unresolved';
        outcomes.add(outcome);
        const isHidden = policy.isHiddenName(server.name);
        const message = isHidden ? 'its name is for local use' : error.message;
        this.#reportStep({ zone, server: server.name, outcome, message });
        return [];
      }
    }
    const usable = addresses.filter((address) => this.#hasIPv6 || !isIPv6(address));
    return usable.toSorted((a, b) => Number(isIPv6(b)) - Number(isIPv6(a))).slice(0, MAX_ADDRESSES_PER_SERVER);
  }

  async #askServer(zone: string, name: string, server: Endpoint): Promise<Delegation | Walked | TraceOutcome> {
    const { querySpec, signal, clock, budget, watch, transport, context } = this.#options;
    const progress = noProgress();
    const step = { zone, server: name, address: formatEndpoint(server) };
    try {
      refusingAs(notAllowed, () => context.policy.checkAddress(server.address, 'server'));
      const reason = () => new ProbeFailure('dns_timeout', `no response within ${TRY_MS} ms`);
      const ask = transport === 'tcp' ? askTcp : askUdpThenTcp;
      const reply = await within({ clock, ms: TRY_MS, reason }, signal, (limited) => {
        const options = {
          signal: limited,
          clock,
          budget,
          resendAfterMs: null,
          ...(watch === undefined ? {} : { watch }),
        };
        return ask(querySpec, server, options, progress);
      });
      const judged = judgeAnswer(reply.message, querySpec.question, zone);
      const { outcome, message, delegation } = judged;
      const answered = { query_ms: roundMs(reply.ms), rcode: reply.message.rcode };
      this.#reportStep({ ...step, ...answered, outcome, message, delegation });
      if (delegation !== null) return delegation;
      return outcome === 'lame' ? outcome : { server, progress };
    } catch (error) {
      if (signal.aborted || !(error instanceof ProbeFailure)) throw error;
      const outcome = outcomeOf(error);
      this.#reportStep({
        ...step,
        outcome,
        message: error.message,
        ...(outcome === 'not_allowed' ? { address: null } : {}),
      });
      if (budget.isSpent) throw error;
      return outcome;
    }
  }

  #reportStep(
    parts: Partial<DnsTraceStep> &
      Pick<DnsTraceStep, 'zone' | 'server' | 'outcome'> & { delegation?: Delegation | null },
  ): void {
    if (this.#stepCount >= MAX_STEPS) return;
    this.#stepCount += 1;
    const { delegation = null, server, ...step } = parts;
    this.#options.onStep({
      address: null,
      query_ms: null,
      rcode: null,
      message: null,
      delegated_zone: delegation?.zone ?? null,
      delegated_servers: delegation?.servers.map(({ name }) => this.#shown(name)) ?? [],
      server: this.#shown(server),
      ...step,
    });
  }

  /** A server may know the node for one of its own network, and refer it to others there. */
  #shown(name: string): string {
    return this.#options.context.policy.isHiddenName(name) ? HIDDEN_VALUE : name;
  }
}

function notAllowed(cause: Error): ProbeFailure {
  return new ProbeFailure('target_not_allowed', 'its address is not allowed', { cause });
}

function outcomeOf({ code, cause }: ProbeFailure): TraceOutcome {
  // over UDP a refused connection is an error of the system as well
  if (systemErrorName(cause) !== null) return 'unreachable';
  switch (code) {
    case 'target_not_allowed':
      return 'not_allowed';
    case 'dns_timeout':
      return 'timeout';
    case 'dns_error':
      return 'malformed';
    default:
      return 'unreachable';
  }
}

/** The failure that all tries have in common, where they have one. */
function noHelp(zone: string, outcomes: ReadonlySet<TraceOutcome>): ProbeFailure {
  const [only] = outcomes.size === 1 ? outcomes : [];
  const what = `no server of "${zone}" gave a useful response (${[...outcomes].join(', ') || 'no servers'})`;
  if (only === 'timeout') return new ProbeFailure('dns_timeout', what);
  if (only === 'not_allowed') return new ProbeFailure('target_not_allowed', what);
  return new ProbeFailure('dns_error', what);
}
