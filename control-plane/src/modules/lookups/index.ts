import type { Clock } from '@vantage/shared/clock.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { GeoDatabases } from '../../geo/index.js';
import { ApiError } from '../../http/errors.js';
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
import type { LookupMetrics } from './metrics.js';
import type { NodeQuestions } from './node-questions.js';
import { ReputationLookup, type ReputationOptions } from './reputation-lookup.js';
import { waitWithin } from './wait-within.js';

export type { HeadersAnswer } from './kinds/headers-answer.js';
export type { LookupKind } from './kinds/registry.js';

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

/** Caller of a lookup, and the wishes of that caller. */
export interface Asking extends Caller, Wishes {}

interface Wishes {
  readonly locale: Locale;
  /** Oldest answer that the caller wants; null: any that is fresh. */
  readonly maxAgeMs: number | null;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

type Pay = () => Promise<Payment>;

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
  async look(kind: LookupKind, query: LookupQuery, asking: Asking): Promise<LookupReply> {
    if (asking.maxAgeMs !== null && asking.account === null) throw new ApiError('FORBIDDEN');
    const lookup = lookupOf(kind);
    const question = readQuestion(() => lookup.readQuestion(query, this.options.policy()));
    if (lookup.runs === 'in memory') return { data: this.#remember(lookup, question, asking) };
    const { probes } = this.options;
    return this.#lookOnNode(lookup, question, asking, () => probes.takeNodeTests(asking, 1));
  }

  /** Answer that is known, fresh or old, without asking anyone; null: none. @throws ApiError as `look` */
  async known(kind: LookupKind, query: LookupQuery, locale: Locale): Promise<LookupReply | null> {
    const lookup = lookupOf(kind);
    const question = readQuestion(() => lookup.readQuestion(query, this.options.policy()));
    if (lookup.runs === 'in memory') return { data: this.#remember(lookup, question, { locale }) };
    const { key } = this.#askedOf(lookup, question);
    const judged = await this.options.answers.judge(key, null);
    const answer = judged.use === 'answer' ? judged.answer : await this.options.answers.findStale(key);
    return answer === null ? null : this.#reply(lookup, answer, { isHit: true, locale });
  }

  #remember(lookup: MemoryLookup, question: Question, { locale }: Pick<Asking, 'locale'>): object {
    const { geo, attribution } = this.options;
    const data = lookup.answer(question, { geo, attribution, locale });
    if (data === null) throw new ApiError('UNAVAILABLE');
    return data;
  }

  /**
   * Analyses the headers of a URL for another module, which has paid for the node test; `cache.hit` says that none was needed.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, RATE_LIMIT_EXCEEDED, UNAVAILABLE
   */
  async askHeaders(
    url: string,
    asking: Pick<Asking, 'locale' | 'signal'>,
  ): Promise<LookupReply & { readonly data: HeadersAnswer }> {
    const question = readQuestion(() => headers.readQuestion({ q: url }, this.options.policy()));
    const reply = await this.#lookOnNode(headers, question, { ...asking, maxAgeMs: null }, async () => paid);
    return { ...reply, data: reply.data as HeadersAnswer };
  }

  async #lookOnNode(lookup: NodeRun, question: Question, asking: Wishes, pay: Pay): Promise<LookupReply> {
    const { answers, metrics } = this.options;
    const asked = this.#askedOf(lookup, question);
    const { maxAgeMs, signal } = asking;
    for (;;) {
      const judged = await answers.judge(asked.key, maxAgeMs);
      if (judged.use === 'answer') {
        metrics.count(lookup.kind, 'hit');
        if (judged.isRenewalDue) answers.renew(asked);
        return this.#reply(lookup, judged.answer, { isHit: true, locale: asking.locale });
      }
      if (judged.use === 'failure') return this.#standIn(lookup, asked, asking, failureOf(judged.failure, this.#nowMs));
      const flight = answers.fly(asked, maxAgeMs, pay);
      metrics.count(lookup.kind, flight.isOwn ? 'miss' : 'wait');
      const end = await waitWithin(flight.end, { clock: this.options.clock, ms: lookup.deadlineMs, signal });
      if (end === null) return this.#standIn(lookup, asked, asking, tooSlow());
      if (end.kind === 'failed') return this.#standIn(lookup, asked, asking, end.error);
      if (end.kind === 'notPaid' && flight.isOwn) throw end.error;
      if (end.kind !== 'found') continue;
      const { answer } = end;
      if (answer.isFailure) return this.#standIn(lookup, asked, asking, failureOf(answer, this.#nowMs));
      return this.#reply(lookup, answer, { isHit: false, locale: asking.locale });
    }
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

  /** An answer that is no longer fresh, for one that cannot be had. @throws `error` without one */
  async #standIn(lookup: NodeRun, { key }: Asked, asking: Wishes, error: unknown): Promise<LookupReply> {
    const stale = await this.options.answers.findStale(key);
    if (stale === null) throw ofQuery(error);
    this.options.metrics.count(lookup.kind, 'stale');
    return this.#reply(lookup, stale, { isHit: true, locale: asking.locale });
  }

  #reply(lookup: NodeRun, answer: Answer, how: { readonly isHit: boolean; readonly locale: Locale }): LookupReply {
    const left = answer.freshUntilMs - this.#nowMs;
    const age_sec = Math.max(0, Math.floor((this.#nowMs - answer.askedAtMs) / 1_000));
    const cache = { hit: how.isHit, age_sec: how.isHit ? age_sec : 0, ...(left <= 0 ? { stale: true as const } : {}) };
    const data = lookup.localise?.(answer.body, how.locale) ?? answer.body;
    return { data, cache, freshMs: Math.max(0, left) };
  }

  get #nowMs(): number {
    return this.options.clock.now();
  }
}

function failureOf({ body, freshUntilMs }: Answer, nowMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((freshUntilMs - nowMs) / 1_000));
  const message =
    'message' in body ? `cannot be looked up: ${String(body.message)}` : 'cannot be looked up at the moment';
  return new ApiError('UNAVAILABLE', { retryAfterSeconds, details: { q: [{ code: 'not_found', message }] } });
}

function tooSlow(): ApiError {
  const message = 'the answer takes longer than a request may wait: send the request again';
  return new ApiError('UNAVAILABLE', { details: { q: [{ code: 'not_found', message }] } });
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
