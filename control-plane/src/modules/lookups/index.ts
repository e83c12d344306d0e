import type { Clock } from '@vantage/shared/clock.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { GeoDatabases } from '../../geo/index.js';
import { ApiError, notConfigured } from '../../http/errors.js';
import type { Locale } from '../../http/locale.js';
import type { Caller } from '../../http/rate-limit.js';
import type { Probes } from '../probes/index.js';
import type { Answer } from './answers/answer.js';
import type { Answers, Asked, Payment } from './answers/answers.js';
import { headers } from './kinds/headers.js';
import type { HeadersAnswer } from './kinds/headers-answer.js';
import type { LookupQuery, MemoryLookup, NodeRun, Question } from './kinds/lookup.js';
import { hostText } from './kinds/read-q.js';
import { readQuestion } from './kinds/read-question.js';
import { type LookupKind, lookupOf } from './kinds/registry.js';
import type { Lists } from './lists/lists.js';
import { type LookupOutcome, outcomeOfFlight, outcomeOfKept } from './lookup-outcome.js';
import type { LookupMetrics } from './metrics.js';
import type { NodeQuestions } from './node-questions.js';
import { ReputationLookup, type ReputationOptions } from './reputation-lookup.js';
import { waitWithin } from './wait-within.js';

export type { HeadersAnswer } from './kinds/headers-answer.js';
export type { LookupKind } from './kinds/registry.js';
export { lookupTitles } from './kinds/titles.js';

interface LookupsOptions {
  readonly answers: Answers;
  readonly questions: NodeQuestions;
  readonly probes: Pick<Probes, 'takeNodeTests'>;
  readonly geo: GeoDatabases;
  /** Lines that the licences of the geo databases ask for. */
  readonly attribution: readonly string[];
  /** Returns the current policy: deny lists change at run time. */
  readonly policy: () => TargetPolicy;
  readonly metrics: LookupMetrics;
  readonly clock: Clock;
  readonly reputation: Omit<ReputationOptions, 'ask'>;
  /** Lists of addresses, for administrators. */
  readonly lists: Lists;
}

export interface LookupCaller extends Caller, Wishes {}

interface Wishes {
  readonly locale: Locale;
  /** Oldest answer that the caller wants; null for any that is fresh. */
  readonly maxAgeMs: number | null;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

type Pay = () => Promise<Payment>;

interface Flying extends Pick<Wishes, 'maxAgeMs' | 'signal'> {
  readonly pay: Pay;
}

/** Payment of another module, which gives back by itself what was not needed. */
const paid: Payment = { giveBack: async () => {} };

/** Answer of a lookup; `cache` and the time for which it stays fresh are those of its kept form, and absent without one. */
export interface LookupReply {
  readonly data: object;
  readonly cache?: { readonly hit: boolean; readonly age_sec: number; readonly stale?: true };
  readonly freshMs?: number;
}

/** Lookups: questions that are answered from memory, or by a node and then kept for all callers. */
export class Lookups {
  /** Reputations of addresses and domains. */
  readonly reputation: ReputationLookup;
  /** Lists of addresses by which reputations are judged. */
  readonly lists: Lists;

  constructor(private readonly options: LookupsOptions) {
    const { reputation, lists, probes } = options;
    this.lists = lists;
    this.reputation = new ReputationLookup({
      ...reputation,
      ask: (run, question, checking) =>
        this.#lookOnNode(run, question, { ...checking, maxAgeMs: null }, () => probes.takeNodeTests(checking, 1)),
    });
  }

  /**
   * Answers a question.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, FORBIDDEN, QUOTA_EXCEEDED, RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async look(kind: LookupKind, query: LookupQuery, caller: LookupCaller): Promise<LookupReply> {
    if (caller.maxAgeMs !== null && caller.account === null) throw new ApiError('FORBIDDEN');
    const lookup = lookupOf(kind);
    const question = readQuestion(() => lookup.readQuestion(query, this.options.policy()));
    if (lookup.runs === 'in memory') return { data: this.#remember(lookup, question, caller) };
    const { probes } = this.options;
    return this.#lookOnNode(lookup, question, caller, () => probes.takeNodeTests(caller, 1));
  }

  /** Answer that is known, fresh or old, without a request to anyone, or null. @throws ApiError as `look` */
  async known(kind: LookupKind, query: LookupQuery, locale: Locale): Promise<LookupReply | null> {
    const lookup = lookupOf(kind);
    const question = readQuestion(() => lookup.readQuestion(query, this.options.policy()));
    if (lookup.runs === 'in memory') return { data: this.#remember(lookup, question, { locale }) };
    const { key } = this.#askedOf(lookup, question);
    const judged = await this.options.answers.judge(key, null);
    const answer = judged.use === 'answer' ? judged.answer : await this.options.answers.findStale(key);
    return answer === null ? null : this.#reply(lookup, answer, { isHit: true, locale });
  }

  #remember(lookup: MemoryLookup, question: Question, { locale }: Pick<LookupCaller, 'locale'>): object {
    const { geo, attribution } = this.options;
    const data = lookup.answer(question, { geo, attribution, locale });
    if (data === null) throw notConfigured(lookup.missing(geo));
    return data;
  }

  /**
   * Analyses the headers of a URL for another module, which has paid for the node test; `cache.hit` says that none was needed.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async askHeaders(
    url: string,
    caller: Pick<LookupCaller, 'locale' | 'signal'>,
  ): Promise<LookupReply & { readonly data: HeadersAnswer }> {
    const question = readQuestion(() => headers.readQuestion({ q: url }, this.options.policy()));
    const reply = await this.#lookOnNode(headers, question, { ...caller, maxAgeMs: null }, async () => paid);
    return { ...reply, data: reply.data as HeadersAnswer };
  }

  /** Judges what is kept, and flies while that is nothing. Where no answer can be had, an older one stands in. */
  async #lookOnNode(lookup: NodeRun, question: Question, caller: Wishes, pay: Pay): Promise<LookupReply> {
    const asked = this.#askedOf(lookup, question);
    const { maxAgeMs, locale, signal } = caller;
    let outcome: LookupOutcome = { kind: 'open' };
    while (outcome.kind === 'open') {
      outcome = await this.#judge(lookup, asked, maxAgeMs);
      if (outcome.kind === 'open') outcome = await this.#fly(lookup, asked, { maxAgeMs, signal, pay });
    }
    if (outcome.kind === 'refused') throw outcome.error;
    if (outcome.kind === 'answer') return this.#reply(lookup, outcome.answer, { isHit: outcome.isHit, locale });
    return this.#reply(lookup, await this.#standIn(lookup, asked, outcome.error), { isHit: true, locale });
  }

  async #judge(lookup: NodeRun, asked: Asked, maxAgeMs: number | null): Promise<LookupOutcome> {
    const { answers, metrics } = this.options;
    const judged = await answers.judge(asked.key, maxAgeMs);
    if (judged.use === 'answer') {
      metrics.count(lookup.kind, 'hit');
      if (judged.isRenewalDue) answers.renew(asked);
    }
    return outcomeOfKept(judged, this.nowMs);
  }

  /** Joins or begins the flight of a question, and waits for its end, or for as long as a request may. */
  async #fly(lookup: NodeRun, asked: Asked, { maxAgeMs, signal, pay }: Flying): Promise<LookupOutcome> {
    const { answers, clock, metrics } = this.options;
    const flight = answers.fly(asked, maxAgeMs, pay);
    metrics.count(lookup.kind, flight.isOwn ? 'miss' : 'wait');
    const end = await waitWithin(flight.end, { clock, ms: lookup.deadlineMs, signal });
    return outcomeOfFlight(end, flight.isOwn, this.nowMs);
  }

  /** An answer that is no longer fresh, for one that cannot be had. @throws `error` without one */
  async #standIn(lookup: NodeRun, { key }: Asked, error: unknown): Promise<Answer> {
    const stale = await this.options.answers.findStale(key);
    if (stale === null) throw ofQuery(error);
    this.options.metrics.count(lookup.kind, 'stale');
    return stale;
  }

  #askedOf(lookup: NodeRun, question: Question): Asked {
    const { kind, version, deadlineMs } = lookup;
    return {
      key: `${kind}/${version} ${question.text}`,
      subject: hostText(question.host),
      deadlineMs,
      ask: (signal) => this.options.questions.ask(lookup, question, signal),
    };
  }

  #reply(lookup: NodeRun, answer: Answer, how: { readonly isHit: boolean; readonly locale: Locale }): LookupReply {
    const left = answer.freshUntilMs - this.nowMs;
    const age_sec = Math.max(0, Math.floor((this.nowMs - answer.askedAtMs) / 1_000));
    const cache = { hit: how.isHit, age_sec: how.isHit ? age_sec : 0, ...(left <= 0 ? { stale: true as const } : {}) };
    const data = lookup.localise?.(answer.body, how.locale) ?? answer.body;
    return { data, cache, freshMs: Math.max(0, left) };
  }

  /** Current time, in milliseconds since the epoch. */
  get nowMs(): number {
    return this.options.clock.now();
  }
}

/** An error about the target of a task as one about `q`. */
function ofQuery(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.details?.['target'] === undefined) return error;
  const { code, status, details, allowance } = error;
  const { target, ...others } = details;
  const renamed = target === undefined ? others : { ...others, q: target };
  return new ApiError(code, { status, details: renamed, ...(allowance === undefined ? {} : { allowance }) });
}

declare module '../../http/route.js' {
  interface Services {
    readonly lookups: Lookups;
  }
}
