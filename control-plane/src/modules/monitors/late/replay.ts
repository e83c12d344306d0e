import {
  type CheckOutcome,
  type NodeState,
  reduceCheck,
  type StreakRule,
  unchecked,
} from '@vantage/shared/monitor-state/node-reducer.js';
import { judgeQuorum, type Quorum, type QuorumJudgment, type Vote } from '@vantage/shared/monitor-state/quorum.js';
import { type EventType } from '../definition/event-type.js';
import type { Interval } from '../definition/interval.js';
import type { EarlierType } from '../events/event-phases.js';
import { contains, unionOf } from '../history/interval-union.js';
import { type MonitorState, transition } from '../judging/transition.js';

// Replays history as if every check had arrived when it was made: the same reducer, quorum and transition, in the order of the slots.
//
//   warm-up (verdicts only)   │ fromMs                                                     calm: may end here
//   ──x──x──.──x──────────────┼──x──x──x── opens ──.── closes ──x── ……… ─────────────────────┤
//                             │ the event of then, if there was one
//
// A node votes from its first check until it has been silent for `freshnessMs` or lost the monitor. Its own condition at that
// time (self-test, link) is not stored and does not count here.

/** Check that counts: scheduled, by a node that had the monitor. */
export interface ReplayedCheck {
  /** Slot time, milliseconds since the epoch. */
  readonly atMs: number;
  readonly nodeId: string;
  readonly outcome: CheckOutcome;
}

/** Facts that a replay depends on besides checks; instants in milliseconds since the epoch. */
export interface ReplayFacts {
  readonly rule: StreakRule;
  readonly quorum: Quorum;
  /** Time after its last check for which a node votes, in milliseconds. */
  readonly freshnessMs: number;
  /** Interval for which each node has had the monitor, by node; an infinite end: it still has it. */
  readonly assigned: ReadonlyMap<string, Interval>;
  /** Maintenance windows, within the range that is replayed. */
  readonly maintenance: readonly Interval[];
  /** Instants at which users resolved events. */
  readonly resolvedAtMs: readonly number[];
  /** Earliest begin of an event. */
  readonly notBeforeMs: number;
  /** Start of the range; earlier checks only set the verdicts of nodes. */
  readonly fromMs: number;
  /** Open event and resolved type at `fromMs`. */
  readonly initial: Pick<MonitorState, 'event' | 'resolved'> & { readonly earlier?: readonly EarlierType[] };
}

/** Event as it should be. */
export interface Episode {
  readonly type: EventType;
  readonly startedAtMs: number;
  /** Null while the event lasts. */
  readonly endedAtMs: number | null;
  readonly affectedNodes: readonly string[];
  /** Number of nodes that had a vote when the event began. */
  readonly eligible: number;
  /** Earlier types of the event. */
  readonly earlier: readonly EarlierType[];
}

/** Replays a monitor from its checks, which are given in the order of their slots. */
export class Replay {
  readonly #episodes: Episode[] = [];
  readonly #nodes = new Map<string, NodeState>();
  /** Nodes whose votes counted in the last judgment. */
  #voting = new Set<string>();
  #state: MonitorState;
  /** Instants at which the state may change without a check, ascending. */
  readonly #turns: number[];
  readonly #maintained: readonly Interval[];
  /** Ends of maintenance windows, ascending. */
  readonly #ends: Float64Array;
  readonly #resolvedAt: ReadonlySet<number>;

  constructor(private readonly facts: ReplayFacts) {
    const { initial, assigned, maintenance, resolvedAtMs, fromMs } = facts;
    this.#state = { health: 'unknown', event: initial.event, resolved: initial.resolved };
    this.#maintained = unionOf(maintenance);
    this.#ends = Float64Array.from(maintenance, ({ toMs }) => toMs).sort();
    this.#resolvedAt = new Set(resolvedAtMs);
    if (initial.event !== null)
      this.#episodes.push({
        type: initial.event.type,
        startedAtMs: initial.event.startedAtMs,
        endedAtMs: null,
        affectedNodes: [],
        eligible: 0,
        earlier: initial.earlier ?? [],
      });
    const turns = [
      ...[...assigned.values()].flatMap((span) => [span.fromMs, span.toMs]),
      ...maintenance.map(({ toMs }) => toMs),
      ...resolvedAtMs,
    ];
    this.#turns = [fromMs, ...turns.filter((atMs) => atMs > fromMs && atMs !== Number.POSITIVE_INFINITY)];
    this.#turns.sort((a, b) => a - b);
  }

  /** Events so far, in order. */
  get episodes(): readonly Episode[] {
    return this.#episodes;
  }

  /** True while no event is open. */
  get isCalm(): boolean {
    return this.#state.event === null;
  }

  /** Takes all checks of an instant; instants must ascend. */
  take(atMs: number, checks: readonly ReplayedCheck[]): void {
    this.passUntil(atMs);
    let isChanged = false;
    for (const { nodeId, outcome } of checks) {
      const before = this.#nodes.get(nodeId) ?? unchecked;
      const after = reduceCheck(before, { slot: atMs, outcome }, this.facts.rule);
      this.#nodes.set(nodeId, after);
      isChanged ||= before.since !== after.since || !this.#voting.has(nodeId);
    }
    if (isChanged) this.#judge(atMs);
  }

  /** Advances time to an instant, exclusive. */
  passUntil(atMs: number): void {
    for (let next = this.#nextTurn(); next < atMs; next = this.#nextTurn()) {
      while ((this.#turns[0] ?? Number.POSITIVE_INFINITY) <= next) this.#turns.shift();
      if (this.#resolvedAt.has(next)) this.#resolve();
      this.#judge(next);
    }
  }

  /** Next instant at which the monitor is judged without a check. */
  #nextTurn(): number {
    const silences = [...this.#voting].map((nodeId) => this.#silentAt(nodeId));
    return Math.min(this.#turns[0] ?? Number.POSITIVE_INFINITY, ...silences);
  }

  #silentAt(nodeId: string): number {
    return (this.#nodes.get(nodeId)?.slot ?? Number.NEGATIVE_INFINITY) + this.facts.freshnessMs + 1;
  }

  #resolve(): void {
    const { event } = this.#state;
    if (event !== null) this.#state = { ...this.#state, resolved: event.type };
  }

  #judge(atMs: number): void {
    const { quorum, notBeforeMs, fromMs } = this.facts;
    const votes = this.#votesAt(atMs);
    this.#voting = new Set(votes.map(({ nodeId }) => nodeId));
    if (atMs < fromMs) return;
    const judgment = judgeQuorum(quorum, votes, Math.max(votes.length, this.#assignedAt(atMs)));
    const { state, effects } = transition(this.#state, {
      judgment,
      isInMaintenance: contains(this.#maintained, atMs),
      notBeforeMs: Math.max(notBeforeMs, this.#lastEnd(atMs), this.#episodes.at(-1)?.endedAtMs ?? notBeforeMs),
    });
    this.#state = state;
    for (const effect of effects) {
      if (effect.kind === 'close') this.#close(effect.endedAtMs);
      if (effect.kind === 'change') this.#change(effect);
      if (effect.kind === 'open') this.#open(effect, judgment);
    }
  }

  /** End of the maintenance window that ended last by an instant. */
  #lastEnd(atMs: number): number {
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] as number) <= atMs) low = middle + 1;
      else high = middle;
    }
    return this.#ends[low - 1] ?? Number.NEGATIVE_INFINITY;
  }

  #votesAt(atMs: number): Vote[] {
    return [...this.#nodes].flatMap(([nodeId, { verdict, since }]) => {
      const isThere = atMs < (this.facts.assigned.get(nodeId)?.toMs ?? Number.POSITIVE_INFINITY);
      if (verdict === 'undecided' || since === null || !isThere || atMs >= this.#silentAt(nodeId)) return [];
      return [{ nodeId, verdict, sinceMs: since }];
    });
  }

  #assignedAt(atMs: number): number {
    return [...this.facts.assigned.values()].filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;
  }

  #open(
    { type, startedAtMs, affectedNodes }: { type: EventType; startedAtMs: number; affectedNodes: readonly string[] },
    { eligible }: QuorumJudgment,
  ): void {
    this.#episodes.push({ type, startedAtMs, endedAtMs: null, affectedNodes, eligible, earlier: [] });
  }

  #change({ type, atMs }: { type: EventType; atMs: number }): void {
    const last = this.#episodes.pop();
    if (last === undefined) return;
    const earlier = [...last.earlier, { type: last.type, until: new Date(atMs).toISOString() }];
    this.#episodes.push({ ...last, type, earlier });
  }

  #close(endedAtMs: number): void {
    const last = this.#episodes.pop();
    if (last !== undefined) this.#episodes.push({ ...last, endedAtMs: Math.max(endedAtMs, last.startedAtMs) });
  }
}
