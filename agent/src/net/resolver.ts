import type { Clock } from '@vantage/shared/clock.js';
import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { type Host, parseHost } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { ProbeFailure, refusing } from '../probes/failure.js';
import { type DnsServer, ownServer } from './dns/dns-server.js';
import { type Endpoint, formatEndpoint } from './endpoint.js';
import { lookUp } from './name-lookup.js';
import { QueryBudget } from './query-budget.js';
import { ResolvConf } from './resolv-conf.js';
import type { ResolvedAddress } from './resolved-address.js';
import { type ReverseOptions, reverseLookup } from './reverse-lookup.js';
import { hasRoute } from './route.js';

const DNS_PORT = 53;

/** One name or literal to turn into addresses. */
export interface ResolveRequest {
  readonly host: Host;
  /** Families wanted; `auto` asks for both. */
  readonly ipVersion: 'auto' | 'v4' | 'v6';
  /** DNS server to ask instead of the node's own, name or address, as the caller gave it; itself under the policy. */
  readonly server?: string;
  readonly policy: TargetPolicy;
  readonly signal: AbortSignal;
  /** Field of the request that held the host, for messages; default `target`. */
  readonly field?: string;
  /** Shared by the resolutions of one run; default: one for this resolution alone. */
  readonly budget?: QueryBudget;
  /** Called with every alias (CNAME) of the name, once for each family. */
  readonly onAlias?: (alias: string) => void;
}

export interface Resolution {
  /** At least one address, each checked against the policy; IPv6 first where both families exist. */
  readonly addresses: readonly ResolvedAddress[];
  /** Time from the first query to the last reply, monotonic milliseconds; 0 for a literal. */
  readonly ms: number;
}

/** Turns names into checked addresses, once per run: what it returns is what may be connected to. */
export interface Resolver {
  /**
   * Queries A and AAAA, follows at most 8 CNAMEs and refuses the target if ANY address is refused.
   * @throws ProbeFailure with dns_*, target_not_allowed, or the signal's reason
   */
  resolve(request: ResolveRequest): Promise<Resolution>;
  /** Queries the first of the node's own resolvers for the name of an address; see `reverseLookup`. */
  reverse(address: string, options: ReverseOptions): Promise<string | null>;
  /** The node's own resolvers as `address:port`, in order of preference; at least one. */
  readonly servers: readonly string[];
}

/** Parts of a resolver; the defaults are those of `nodeResolver`. */
export interface ResolverOptions {
  readonly clock: Clock;
  /** The node's own resolvers, asked for at every resolution. */
  readonly ownServers: () => readonly Endpoint[];
  /** Port of the servers that callers name. */
  readonly customServerPort?: number;
}

/**
 * The resolvers of this node: `servers`, or those of /etc/resolv.conf, which is read again when it changes. Its search
 * domains and /etc/hosts play no part.
 */
export function nodeResolver(servers: readonly Endpoint[], clock: Clock): Resolver {
  if (servers.length > 0) return new StubResolver({ clock, ownServers: () => servers });
  const file = new ResolvConf();
  return new StubResolver({ clock, ownServers: () => file.servers().map((address) => ({ address, port: DNS_PORT })) });
}

type LimitedRequest = ResolveRequest & { readonly budget: QueryBudget; readonly onSent: (atMs: number) => void };

/** Queries recursive resolvers over UDP and TCP. Opens a socket for each query and keeps none. */
export class StubResolver implements Resolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  get servers(): readonly string[] {
    return this.#options.ownServers().map(formatEndpoint);
  }

  async resolve(request: ResolveRequest): Promise<Resolution> {
    const { host, policy, field = 'target', budget = new QueryBudget() } = request;
    refusing(() => policy.checkHost(host, field));
    if (host.kind === 'address') return literal(host.address, host.family, request.ipVersion);
    let firstSentAt: number | null = null;
    const onSent = (atMs: number) => {
      firstSentAt ??= atMs;
    };
    const limited = { ...request, budget, onSent };
    const servers =
      request.server === undefined ? this.#ownServers() : await this.#customServers(request.server, limited);
    const addresses = await this.#lookUpFamilies(host.name, servers, limited);
    const answeredAt = this.#options.clock.monotonicMs();
    const ms = answeredAt - (firstSentAt ?? answeredAt);
    return { addresses: await dropUnroutable(addresses, request.signal), ms };
  }

  async reverse(address: string, options: ReverseOptions): Promise<string | null> {
    const [server] = this.#ownServers();
    if (server === undefined) throw new RangeError('no DNS server is configured');
    return reverseLookup(address, server, { ...options, clock: this.#options.clock });
  }

  #ownServers(): DnsServer[] {
    return this.#options.ownServers().map(ownServer);
  }

  /** A server given by name is resolved by the node's own resolvers, and everything it resolves to is judged. */
  async #customServers(server: string, { policy, signal, budget }: LimitedRequest): Promise<Endpoint[]> {
    const field = 'params.resolver';
    const host = refusing(() => parseHost(server, field));
    const { addresses } = await this.resolve({ host, ipVersion: 'auto', policy, signal, field, budget });
    return addresses.map(({ address }) => ({ address, port: this.#options.customServerPort ?? DNS_PORT }));
  }

  async #lookUpFamilies(
    name: string,
    servers: readonly DnsServer[],
    request: LimitedRequest,
  ): Promise<ResolvedAddress[]> {
    const { ipVersion, policy, signal, budget, onSent, onAlias, field = 'target' } = request;
    const options = { servers, policy, field, budget, signal, onSent, onAlias, clock: this.#options.clock };
    const types = ipVersion === 'auto' ? (['AAAA', 'A'] as const) : ([ipVersion === 'v6' ? 'AAAA' : 'A'] as const);
    const outcomes = await Promise.allSettled(types.map((type) => lookUp(name, type, options)));
    const addresses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    if (signal.aborted) throw signal.reason;
    const failure = decisiveFailure(failures);
    if (addresses.length === 0 || isRefusal(failure)) throw failure;
    return addresses.map(canonical);
  }
}

function literal(address: string, family: 4 | 6, ipVersion: ResolveRequest['ipVersion']): Resolution {
  if (ipVersion !== 'auto' && ipVersion !== `v${family}`) {
    throw new ProbeFailure('dns_nodata', `${address} is not an address of IP${ipVersion}`);
  }
  return { addresses: [{ address, family }], ms: 0 };
}

/** A refusal says more than anything, and any other failure says more than a family that just has no record. */
function decisiveFailure(failures: readonly unknown[]): unknown {
  return failures.find(isRefusal) ?? failures.find((failure) => !isNoData(failure)) ?? failures.at(-1);
}

function isRefusal(failure: unknown): boolean {
  return failure instanceof ProbeFailure && failure.code === 'target_not_allowed';
}

function isNoData(failure: unknown): boolean {
  return failure instanceof ProbeFailure && failure.code === 'dns_nodata';
}

/** RFC 5952 text; an IPv4-mapped address is the IPv4 address it was judged as. */
function canonical(text: string): ResolvedAddress {
  const parsed = parseAddress(text);
  if (parsed === null) throw new ProbeFailure('dns_error', `"${text}" is not an address`);
  return { address: formatAddress(parsed), family: parsed.family };
}

/**
 * Drops IPv6 addresses where there is no IPv6 route and they would only cost time; keeps them where there are no
 * others.
 */
async function dropUnroutable(addresses: readonly ResolvedAddress[], signal: AbortSignal): Promise<ResolvedAddress[]> {
  const v4 = addresses.filter(({ family }) => family === 4);
  const v6 = addresses.filter(({ family }) => family === 6);
  const [firstV6] = v6;
  if (firstV6 === undefined || v4.length === 0 || (await hasRoute(firstV6.address, signal))) return [...v6, ...v4];
  return v4;
}
