import type { Clock } from '@vantage/shared/clock.js';
import type { RblLookup } from '@vantage/shared/probe-types/rbl.js';
import { formatAddress, type IpAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { GeoDatabases } from '../../geo/index.js';
import { ApiError, notConfigured } from '../../http/errors.js';
import type { Locale } from '../../http/locale.js';
import type { Caller, RateLimiter } from '../../http/rate-limit.js';
import type { Plans } from '../../plans/index.js';
import { type DnsAnswer, dns } from './kinds/dns.js';
import type { NodeRun, Question } from './kinds/lookup.js';
import { type NameHost, readHost, unicodeDomain } from './kinds/read-q.js';
import { readQuestion } from './kinds/read-question.js';
import type { LoadedLists } from './lists/loaded-lists.js';
import { blocklistRows, type DnsBlocklist, listingsOf } from './reputation/dns-blocklists.js';
import { dnsbl, dnsblQuestion } from './reputation/dnsbl-lookup.js';
import { refuseExhausted, takeCheck } from './reputation/limits.js';
import { noteOf } from './reputation/note.js';
import type { ReputationAnswer } from './reputation/schema.js';
import { isCurrent, judgeReputation, type Reputation, worstOf } from './reputation/score.js';

/** Addresses of a domain that are judged. */
const MAX_ADDRESSES = 8;

/** Caller of a reputation check. */
export interface Checking extends Caller {
  readonly locale: Locale;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

/** Options of reputation checks; `ask` puts a question to a node, or finds its kept answer. */
export interface ReputationOptions {
  readonly lists: Pick<LoadedLists, 'all' | 'isSet'>;
  readonly blocklists: readonly DnsBlocklist[];
  readonly geo: Pick<GeoDatabases, 'describe'>;
  /** Lines that the licences of the geo databases ask for. */
  readonly attribution: readonly string[];
  readonly policy: () => TargetPolicy;
  readonly limiter: RateLimiter;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly ask: (run: NodeRun, question: Question, checking: Checking) => Promise<{ readonly data: object }>;
}

/** Judgment of one address, with the responses of DNS blocklists. */
interface Judged extends Reputation {
  readonly address: IpAddress;
  readonly lookups: readonly RblLookup[];
}

/** Judges addresses and domains by the lists in memory, and by DNS blocklists that a node asks (API specification 2.7). */
export class ReputationLookup {
  constructor(private readonly options: ReputationOptions) {}

  /** Refuses a caller who has no check left. @throws ApiError RATE_LIMIT_EXCEEDED, QUOTA_EXCEEDED */
  refuseExhausted(caller: Caller): Promise<void> {
    return refuseExhausted(this.options, caller);
  }

  /**
   * Checks an address or a domain. A refused question and one without a result cost nothing.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, RATE_LIMIT_EXCEEDED, QUOTA_EXCEEDED, UNAVAILABLE
   */
  async check(q: string, checking: Checking): Promise<ReputationAnswer> {
    const host = this.#readHost(q);
    const taken = await takeCheck(this.options, checking);
    try {
      const addresses = host.kind === 'address' ? addressesOf([host.address]) : await this.#resolve(host, checking);
      const judged = await this.#judgeAll(addresses, checking);
      const worst = worstOf(judged);
      if (worst === null) throw withoutAddress();
      return this.#view(worst, judged, { name: host.kind === 'name' ? host.name : null, locale: checking.locale });
    } catch (error) {
      await taken.giveBack();
      throw error;
    }
  }

  /**
   * Answer that is known without a check: none, since no judgment is kept, and each counts against the limits of its caller.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, UNAVAILABLE
   */
  async known(q: string): Promise<null> {
    this.#readHost(q);
    return null;
  }

  #readHost(q: string) {
    const { lists, policy } = this.options;
    const host = readQuestion(() => readHost(q, policy()));
    if (lists.all().length === 0) throw this.#withoutLists();
    return host;
  }

  /** Lists that are set are there soon; without any, waiting does not help. */
  #withoutLists(): ApiError {
    if (!this.options.lists.isSet)
      return notConfigured('this installation has no lists of addresses: set VANTAGE_REPUTATION_LISTS');
    const message = 'no list in VANTAGE_REPUTATION_LISTS has been read yet; the log of the server says why';
    return new ApiError('UNAVAILABLE', { details: { configuration: [{ code: 'not_found', message }] } });
  }

  /** Public addresses of a domain, as the resolver of a node returns them. */
  async #resolve(host: NameHost, checking: Checking): Promise<IpAddress[]> {
    const question = dns.readQuestion({ q: host.name }, this.options.policy());
    const { data } = await this.options.ask(dns, question, checking);
    const { records, errors } = data as DnsAnswer;
    const values = records.filter(({ type }) => type === 'A' || type === 'AAAA').map(({ value }) => value);
    const addresses = addressesOf(values).filter((address) => this.#isAllowed(address));
    if (addresses.length > 0) return addresses.slice(0, MAX_ADDRESSES);
    const isUnknown = errors.some(({ type }) => type === 'A' || type === 'AAAA');
    throw isUnknown ? new ApiError('UNAVAILABLE') : withoutAddress();
  }

  #isAllowed(address: IpAddress): boolean {
    try {
      this.options.policy().checkAddress(formatAddress(address));
      return true;
    } catch {
      return false;
    }
  }

  /** Blocklists that count in no score are asked about the worst address alone. */
  async #judgeAll(addresses: readonly IpAddress[], checking: Checking): Promise<Judged[]> {
    const { blocklists } = this.options;
    const isCounted = blocklists.some(({ signals }) => signals.size > 0);
    if (isCounted)
      return Promise.all(
        addresses.map(async (address) => this.#judge(address, await this.#askBlocklists(address, checking))),
      );
    const judged = addresses.map((address) => this.#judge(address, []));
    const worst = worstOf(judged);
    if (worst === null) return judged;
    const lookups = await this.#askBlocklists(worst.address, checking);
    return judged.map((one) => (one === worst ? { ...one, lookups } : one));
  }

  #judge(address: IpAddress, lookups: readonly RblLookup[]): Judged {
    const { lists, geo, blocklists, clock } = this.options;
    const asn = geo.describe(formatAddress(address))?.network?.asn ?? null;
    const listings = listingsOf(lookups, blocklists);
    const reputation = judgeReputation({ address, asn, lists: lists.all(), listings, nowMs: clock.now() });
    return { ...reputation, address, lookups };
  }

  /** Responses of the zones. A reputation does not fail for lack of a node: then nothing is known of any zone. */
  async #askBlocklists(address: IpAddress, checking: Checking): Promise<readonly RblLookup[]> {
    const zones = this.options.blocklists.map(({ zone }) => zone);
    if (zones.length === 0) return [];
    try {
      const { data } = await this.options.ask(dnsbl, dnsblQuestion(address, zones), checking);
      return (data as { lookups: RblLookup[] }).lookups;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const text = formatAddress(address);
      return zones.map((zone) => ({ zone, address: text, listed: null, codes: [], reason: null, error: error.code }));
    }
  }

  #view(
    worst: Judged,
    judged: readonly Judged[],
    { name, locale }: { readonly name: string | null; readonly locale: Locale },
  ): ReputationAnswer {
    const { score, risk_level, types, evidence, coverage, unknown, address, lookups } = worst;
    const ip = formatAddress(address);
    const facts = this.options.geo.describe(ip);
    const asn = facts?.network?.asn ?? null;
    return {
      domain: name,
      unicode_domain: name === null ? null : unicodeDomain(name),
      ip,
      score,
      risk_level,
      types: [...types],
      evidence: [...evidence],
      country: facts?.location?.country ?? null,
      city: facts?.location?.city ?? null,
      asn: asn === null ? null : `AS${asn}`,
      isp: facts?.network?.isp ?? null,
      coverage: [...coverage],
      blocklists: blocklistRows(lookups),
      addresses: judged.map((one) => ({ ip: formatAddress(one.address), score: one.score })),
      note: noteOf(unknown, locale),
      ...this.#sources(),
    };
  }

  #sources(): { sources: { name: string; built_at: string }[]; attribution: string[] } {
    const { lists, clock, attribution } = this.options;
    const current = lists
      .all()
      .filter((list) => isCurrent(list, clock.now()))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const lines = current.flatMap(({ definition }) => definition.attribution ?? []);
    return {
      sources: current.map(({ name, builtMs }) => ({ name, built_at: new Date(builtMs).toISOString() })),
      attribution: [...new Set([...lines, ...attribution])],
    };
  }
}

/** Addresses in the texts, each once, those of IPv4 first, ascending: the same for every order of a response. */
function addressesOf(texts: readonly string[]): IpAddress[] {
  const byText = new Map(
    texts.flatMap((text) => {
      const address = parseAddress(text);
      return address === null ? [] : [[formatAddress(address), address] as const];
    }),
  );
  return [...byText.values()].sort(
    (a, b) => a.family - b.family || (a.value < b.value ? -1 : Number(a.value > b.value)),
  );
}

function withoutAddress(): ApiError {
  const message = 'the domain has no public address';
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { q: [{ code: 'not_found', message }] } });
}
