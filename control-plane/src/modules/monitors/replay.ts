import {
  type CheckOutcome,
  type NodeState,
  reduceCheck,
  type StreakRule,
  unchecked,
} from '@vantage/shared/monitor-state/node-reducer.js';
import { judgeQuorum, type Quorum, type QuorumJudgment, type Vote } from '@vantage/shared/monitor-state/quorum.js';
import { type EventType, type MonitorState, transition } from './transition.js';
import type { Interval } from './uptime.js';

// What would have happened had every check come when it was made: the same reducer, quorum and transition, in the order of the slots.
//
//   warm-up (verdicts only)   │ fromMs                                                     calm: may end here
//   ──x──x──.──x──────────────┼──x──x──x── opens ──.── closes ──x── ……… ─────────────────────┤
//                             │ the event of then, if there was one
//
// A node votes from its first check on, until it has been silent for `freshnessMs` or lost the monitor. What it said of itself
// then (its own test, its link) is not kept, and does not count here.

/** A check that counts: one of the grid, of a node that had the monitor. */
export interface ReplayedCheck {
  /** Slot time, milliseconds since the epoch. */
  readonly atMs: number;
  readonly nodeId: string;
  readonly outcome: CheckOutcome;
}

/** All that decides besides checks; instants in milliseconds since the epoch. */
export interface ReplayFacts {
  readonly rule: StreakRule;
  readonly quorum: Quorum;
  /** So long after its last check a node votes. */
  readonly freshnessMs: number;
  /** From when to when each node has had the monitor; an infinite end: it has it. */
  readonly assigned: ReadonlyMap<string, Interval>;
  /** Maintenance windows, within the range that is replayed. */
  readonly maintenance: readonly Interval[];
  /** When people closed events. */
  readonly resolvedAtMs: readonly number[];
  /** No event begins before. */
  readonly notBeforeMs: number;
  /** Checks before only make up what nodes say. */
  readonly fromMs: number;
  /** What was open and resolved at `fromMs`. */
  readonly initial: Pick<MonitorState, 'event' | 'resolved'>;
}

/** An event as it should be. */
export interface Episode {
  readonly type: EventType;
  readonly startedAtMs: number;
  /** Null: it lasts. */
  readonly endedAtMs: number | null;
  readonly affectedNodes: readonly string[];
  /** How many nodes had a vote when it began. */
  readonly eligible: number;
}

/** Replays one monitor; given its checks in the order of their slots. */
export class Replay {
  readonly #episodes: Episode[] = [];
  readonly #nodes = new Map<string, NodeState>();
  /** Nodes whose votes counted when it was judged last. */
  #voting = new Set<string>();
  #state: MonitorState;
  /** Instants at which something but a check may change it, ascending. */
  readonly #turns: number[];

  constructor(private readonly facts: ReplayFacts) {
    const { initial, assigned, maintenance, resolvedAtMs, fromMs } = facts;
    this.#state = { health: 'unknown', ...initial };
    if (initial.event !== null)
      this.#episodes.push({ ...initial.event, endedAtMs: null, affectedNodes: [], eligible: 0 });
    const turns = [
      ...[...assigned.values()].flatMap((span) => [span.fromMs, span.toMs]),
      ...maintenance.map(({ toMs }) => toMs),
      ...resolvedAtMs,
    ];
    this.#turns = [fromMs, ...turns.filter((atMs) => atMs > fromMs && atMs !== Number.POSITIVE_INFINITY)];
    this.#turns.sort((a, b) => a - b);
  }

  /** What has happened so far, in its order. */
  get episodes(): readonly Episode[] {
    return this.#episodes;
  }

  /** Whether nothing is open. */
  get isCalm(): boolean {
    return this.#state.event === null;
  }

  /** All checks of one instant, which comes after those before. */
  take(atMs: number, checks: readonly ReplayedCheck[]): void {
    this.passUntil(atMs);
    let isNews = false;
    for (const { nodeId, outcome } of checks) {
      const before = this.#nodes.get(nodeId) ?? unchecked;
      const after = reduceCheck(before, { slot: atMs, outcome }, this.facts.rule);
      this.#nodes.set(nodeId, after);
      isNews ||= before.since !== after.since || !this.#voting.has(nodeId);
    }
    if (isNews) this.#judge(atMs);
  }

  /** Lets time pass up to an instant, without it. */
  passUntil(atMs: number): void {
    for (let next = this.#nextTurn(); next < atMs; next = this.#nextTurn()) {
      while ((this.#turns[0] ?? Number.POSITIVE_INFINITY) <= next) this.#turns.shift();
      if (this.facts.resolvedAtMs.includes(next)) this.#resolve(next);
      this.#judge(next);
    }
  }

  /** When it is to be judged without a check. */
  #nextTurn(): number {
    const silences = [...this.#voting].map((nodeId) => this.#silentAt(nodeId));
    return Math.min(this.#turns[0] ?? Number.POSITIVE_INFINITY, ...silences);
  }

  #silentAt(nodeId: string): number {
    return (this.#nodes.get(nodeId)?.slot ?? Number.NEGATIVE_INFINITY) + this.facts.freshnessMs + 1;
  }

  #resolve(atMs: number): void {
    const { event } = this.#state;
    if (event === null) return;
    this.#close(atMs);
    this.#state = { ...this.#state, event: null, resolved: event.type };
  }

  #judge(atMs: number): void {
    const { quorum, notBeforeMs, maintenance, fromMs } = this.facts;
    const votes = this.#votesAt(atMs);
    this.#voting = new Set(votes.map(({ nodeId }) => nodeId));
    if (atMs < fromMs) return;
    const judgment = judgeQuorum(quorum, votes, Math.max(votes.length, this.#assignedAt(atMs)));
    const ends = maintenance.map(({ toMs }) => toMs).filter((toMs) => toMs <= atMs);
    const { state, effects } = transition(this.#state, {
      judgment,
      isInMaintenance: maintenance.some((window) => window.fromMs <= atMs && atMs < window.toMs),
      notBeforeMs: Math.max(notBeforeMs, ...ends, this.#episodes.at(-1)?.endedAtMs ?? notBeforeMs),
    });
    this.#state = state;
    for (const effect of effects) {
      if (effect.kind === 'close') this.#close(effect.endedAtMs);
      else this.#open(effect, judgment);
    }
  }

  #votesAt(atMs: number): Vote[] {
    return [...this.#nodes].flatMap(([nodeId, { verdict, since }]) => {
      const isThere = atMs < (this.facts.assigned.get(nodeId)?.toMs ?? Number.POSITIVE_INFINITY);
      if (since === null || !isThere || atMs >= this.#silentAt(nodeId)) return [];
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
    this.#episodes.push({ type, startedAtMs, endedAtMs: null, affectedNodes, eligible });
  }

  #close(endedAtMs: number): void {
    const last = this.#episodes.pop();
    if (last !== undefined) this.#episodes.push({ ...last, endedAtMs: Math.max(endedAtMs, last.startedAtMs) });
  }
}
