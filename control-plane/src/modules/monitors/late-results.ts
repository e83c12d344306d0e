import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { parseQuorum } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds, workOff } from '../../rounds.js';
import { freshnessMs } from './eligibility.js';
import { eventReason } from './event-reason.js';
import {
  claimLate,
  findReplayed,
  insertLate,
  insertPast,
  type LateRange,
  listCounting,
  listErrors,
  listEventsSince,
  putOffLate,
  type ReplayedEvent,
  type ReplayedMonitor,
  updatePast,
} from './late-store.js';
import type { MaintenanceReads } from './maintenance-reads.js';
import { type ClosedEpisode, reconcile, type StoredEpisode } from './reconcile.js';
import { type Episode, Replay, type ReplayedCheck, type ReplayFacts } from './replay.js';
import { lockState } from './state-store.js';
import type { Interval } from './uptime.js';

// What came too late to be judged is history, and history says what the closed events should have been. Any replica takes the
// ranges that are noted, a monitor at a time, and replays them under the lock that judgments take:
//
//   late_checks ──> claim ──> lock state ──> replay to where it is calm ──> compare with closed events ──> write ──> commit
//
// Never touched: the present state, an event that is open and all after it began, the outbox, mails. What an open event covers
// is looked at again when it has closed.

const DAY_MS = 86_400_000;
const LOOK_MS = 5_000;
const PAGE = 20_000;
/** After so many checks a replay ends at the next calm moment; what is left is another one. */
const MOST_CHECKS = 100_000;
/** A replay begins so many times the checks in a row before its range that change a verdict. */
const WARM_UP = 10;
/** While nodes deliver, more is to come: it is waited for, but not for longer. */
const WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 600_000;
/** What is not over yet is looked at again after half of its age, within these. */
const AGAIN_MS = { least: 60_000, most: 3_600_000 };
/** What could not be settled in so long stays as it is. */
const MAX_AGE_MS = 8 * DAY_MS;

interface LateResultsOptions {
  readonly db: Knex;
  readonly maintenance: Pick<MaintenanceReads, 'within'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a range needs that is open when it begins: the rest waits until that has ended. */
interface Outcome {
  readonly closed: readonly ClosedEpisode[];
  /** Closed events are what they should be up to then. */
  readonly throughMs: number;
  /** From then on it is to be looked at again; null: it is settled. */
  readonly againFromMs: number | null;
}

/** Corrects closed events by checks that came late, in the background, for as long as it runs. */
export class LateResults {
  readonly #rounds: Rounds;

  constructor(private readonly options: LateResultsOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      everyMs: LOOK_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'events not corrected by late results'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Corrects whatever is due. */
  run(isStopped = () => false): Promise<void> {
    return workOff(isStopped, 1, async () => {
      let monitorId: string | null = null;
      try {
        return await this.options.db.transaction(async (trx) => {
          const range = await claimLate(trx);
          if (range === null) return 0;
          monitorId = range.monitorId;
          await this.#correct(trx, range);
          return 1;
        });
      } catch (error) {
        if (monitorId === null) throw error;
        // one that can't be corrected, or not now, holds nobody else up
        this.options.log.warn({ err: error, monitorId }, 'events not corrected by late results');
        await putOffLate(this.options.db, monitorId, LONGEST_WAIT_MS);
        return 1;
      }
    });
  }

  async #correct(trx: Knex, range: LateRange): Promise<void> {
    const nowMs = this.options.clock.now();
    await lockState(trx, range.monitorId);
    const monitor = await findReplayed(trx, range.monitorId, { now: new Date(nowMs), staleMs: freshnessMs });
    if (monitor === null) return;
    const { not_before: notBefore, same_rule_since: ruleSince } = monitor;
    const fromMs = Math.max(range.from.getTime(), nowMs - MAX_AGE_MS, notBefore.getTime(), ruleSince.getTime());
    if (range.to.getTime() < fromMs) return;
    if (monitor.is_catching_up && nowMs - range.notedAt.getTime() < LONGEST_WAIT_MS) {
      await insertLate(trx, range, WAIT_MS);
      return;
    }
    const events = await listEventsSince(trx, monitor.id, new Date(fromMs));
    const outcome = await this.#replay(trx, { monitor, events, fromMs, toMs: range.to.getTime() });
    await this.#write(trx, { monitor, events, fromMs, outcome });
    if (outcome.againFromMs === null) return;
    const ageMs = nowMs - range.to.getTime();
    const waitMs = Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, ageMs / 2));
    const again = new Date(outcome.againFromMs);
    await insertLate(trx, { ...range, from: again, to: latest(range.to, again) }, waitMs);
  }

  /** Replays from one instant at least to another, and on until it is calm, and calm in what is stored. */
  async #replay(
    trx: Knex,
    { monitor, events, fromMs, toMs }: { monitor: ReplayedMonitor; events: readonly ReplayedEvent[] } & Interval,
  ): Promise<Outcome> {
    const nowMs = this.options.clock.now();
    const openMs = events.find(({ ended_at }) => ended_at === null)?.started_at.getTime() ?? nowMs;
    if (openMs <= fromMs) return { closed: [], throughMs: fromMs, againFromMs: fromMs };
    const { consecutive_fail, consecutive_ok, interval_s, same_rule_since } = monitor;
    const ruleMs = Math.max(consecutive_fail, consecutive_ok) * interval_s * 1_000;
    const freshMs = freshnessMs(interval_s);
    const warmMs = Math.max(same_rule_since.getTime(), fromMs - freshMs - WARM_UP * ruleMs);
    const replay = new Replay(await this.#factsOf(trx, { monitor, events, fromMs, toMs: openMs }));
    const isStoredCalm = (atMs: number) => !events.some((event) => contains(event, atMs));
    const enoughMs = toMs + freshMs + ruleMs;
    let taken = 0;
    for await (const [atMs, checks] of instants(trx, monitor, { fromMs: warmMs, toMs: openMs })) {
      replay.passUntil(atMs);
      const isEnough = atMs > enoughMs || (taken > MOST_CHECKS && atMs > fromMs);
      if (isEnough && replay.isCalm && isStoredCalm(atMs))
        return { closed: closedOf(replay.episodes), throughMs: atMs, againFromMs: atMs > enoughMs ? null : atMs };
      replay.take(atMs, checks);
      taken += checks.length;
    }
    replay.passUntil(openMs);
    const last = replay.episodes.at(-1);
    const lastsFromMs = last?.endedAtMs === null ? last.startedAtMs : null;
    const isSettled = lastsFromMs === null && openMs === nowMs;
    return {
      closed: closedOf(replay.episodes),
      throughMs: lastsFromMs ?? openMs,
      againFromMs: isSettled || (lastsFromMs === null && openMs > enoughMs) ? null : (lastsFromMs ?? openMs),
    };
  }

  async #factsOf(
    trx: Knex,
    { monitor, events, fromMs, toMs }: { monitor: ReplayedMonitor; events: readonly ReplayedEvent[] } & Interval,
  ): Promise<ReplayFacts> {
    const quorum = parseQuorum(monitor.fail_node_quorum);
    if (quorum === null) throw new RangeError(`monitor "${monitor.id}" has no quorum`);
    const { consecutive_fail: consecutiveFail, consecutive_ok: consecutiveOk } = monitor;
    // what failed since before the last one begins with its end
    const maintenance = await this.options.maintenance.within(trx, [monitor], { fromMs: fromMs - DAY_MS, toMs });
    const counting = events.filter(({ disputed }) => !disputed);
    const before = counting.find((event) => event.started_at.getTime() < fromMs && contains(event, fromMs));
    const ended = counting.findLast(({ ended_at }) => ended_at !== null && ended_at.getTime() <= fromMs);
    return {
      rule: { consecutiveFail, consecutiveOk },
      quorum,
      freshnessMs: freshnessMs(monitor.interval_s),
      assigned: new Map(
        monitor.nodes.map(({ id, assigned_at, ended_at }) => [
          id,
          {
            fromMs: Date.parse(assigned_at),
            toMs: ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(ended_at),
          },
        ]),
      ),
      maintenance: maintenance.get(monitor.id) ?? [],
      resolvedAtMs: events.flatMap(({ resolved_by, ended_at }) =>
        resolved_by === null || ended_at === null ? [] : [ended_at.getTime()],
      ),
      notBeforeMs: Math.max(monitor.not_before.getTime(), ended?.ended_at?.getTime() ?? 0),
      fromMs,
      initial: {
        event: before === undefined ? null : { type: before.type, startedAtMs: before.started_at.getTime() },
        resolved: before === undefined && ended !== undefined && ended.resolved_by !== null ? ended.type : null,
      },
    };
  }

  async #write(
    trx: Knex,
    {
      monitor,
      events,
      fromMs,
      outcome: { closed, throughMs },
    }: { monitor: ReplayedMonitor; events: readonly ReplayedEvent[]; fromMs: number; outcome: Outcome },
  ): Promise<void> {
    const stored = events
      .flatMap((event) => storedOf(event))
      .filter(({ startedAtMs, endedAtMs }) => {
        return endedAtMs > fromMs && endedAtMs <= throughMs && startedAtMs <= throughMs;
      });
    const { inserted, ...changes } = reconcile(closed, stored);
    for (const episode of inserted) await this.#insert(trx, monitor, episode);
    await updatePast(trx, changes);
  }

  async #insert(trx: Knex, monitor: ReplayedMonitor, episode: ClosedEpisode): Promise<void> {
    const { type, startedAtMs, endedAtMs, affectedNodes, eligible } = episode;
    const errors = await listErrors(trx, monitor, {
      nodeIds: affectedNodes,
      fromMs: startedAtMs - freshnessMs(monitor.interval_s),
      toMs: startedAtMs + 1,
    });
    await insertPast(trx, monitor.id, {
      id: newId(idPrefixes.monitorEvent),
      type,
      startedAt: new Date(startedAtMs),
      endedAt: new Date(endedAtMs),
      affectedNodes,
      reason: eventReason(affectedNodes.length, eligible, errors),
    });
  }
}

/** Checks that count, those of one slot time together. */
async function* instants(trx: Knex, monitor: ReplayedMonitor, { fromMs, toMs }: Interval) {
  for (let nextMs: number | null = fromMs; nextMs !== null; ) {
    const page = await listCounting(trx, monitor, { fromMs: nextMs, toMs, limit: PAGE });
    const groups = new Map<number, ReplayedCheck[]>();
    for (const check of page) groups.set(check.atMs, [...(groups.get(check.atMs) ?? []), check]);
    // of the last one there may be more
    nextMs = page.length === PAGE && groups.size > 1 ? (page.at(-1)?.atMs ?? null) : null;
    for (const group of groups) if (group[0] !== nextMs) yield group;
  }
}

function contains({ started_at, ended_at }: ReplayedEvent, atMs: number): boolean {
  return started_at.getTime() <= atMs && (ended_at === null || atMs < ended_at.getTime());
}

function storedOf({ id, type, started_at, ended_at, is_known, disputed }: ReplayedEvent): StoredEpisode[] {
  if (ended_at === null) return [];
  const times = { startedAtMs: started_at.getTime(), endedAtMs: ended_at.getTime() };
  return [{ id, type, ...times, isKnown: is_known, isDisputed: disputed }];
}

function closedOf(episodes: readonly Episode[]): ClosedEpisode[] {
  return episodes.filter((episode): episode is ClosedEpisode => episode.endedAtMs !== null);
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
