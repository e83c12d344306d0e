import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { parseQuorum } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import { Slices } from '../../../runtime/slices.js';
import { freshnessMs } from '../definition/freshness.js';
import type { Interval } from '../definition/interval.js';
import { typeAt } from '../events/event-phases.js';
import { contains, unionOf } from '../history/interval-union.js';
import { eventReason } from '../judging/event-reason.js';
import { lockState } from '../judging/state-store.js';
import type { MaintenanceReads } from '../maintenance/maintenance-reads.js';
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
import { type ClosedEpisode, reconcile, type StoredEpisode } from './reconcile.js';
import { type Episode, Replay, type ReplayedCheck, type ReplayFacts } from './replay.js';

// Results that arrive too late to be judged are history, which determines what closed events should have been. Any replica claims
// the recorded ranges, one monitor at a time, and replays them under the lock that judgments take:
//
//   late_checks ──> claim ──> lock state ──> replay to where it is calm ──> compare with closed events ──> write ──> commit
//
// Never touched: the present state, an open event and everything since its begin, the outbox, mails. The time that an open event
// covers is examined again when it has closed.

const DAY_MS = 86_400_000;
const LOOK_MS = 5_000;
const PAGE = 20_000;
/** Greatest number of steps for a replayed check, with all nodes of its monitor. */
const CHECK_STEPS = 20;
/** Number of checks after which a replay ends at the next calm moment; the rest is left to another replay. */
const MOST_CHECKS = 100_000;
/** Length of the warm-up before the range of a replay, as a multiple of the checks in a row that change a verdict. */
const WARM_UP = 10;
/** Longest wait while nodes still deliver older results. */
const WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 600_000;
/** Bounds of the delay before an unsettled range is examined again, which is half of its age; milliseconds. */
const AGAIN_MS = { least: 60_000, most: 3_600_000 };
/** Age after which an unsettled range is left as it is, in milliseconds. */
const MAX_AGE_MS = 8 * DAY_MS;

interface LateResultsOptions extends BackgroundParts {
  readonly maintenance: Pick<MaintenanceReads, 'within'>;
}

/** Result of a replay; while an event is open, the rest waits until it has ended. */
interface Outcome {
  readonly closed: readonly ClosedEpisode[];
  /** Instant up to which closed events are correct. */
  readonly throughMs: number;
  /** Start of the part that must be examined again; null if the range is settled. */
  readonly againFromMs: number | null;
}

/** Corrects closed events from late checks: all ranges that are due. */
export function lateResults({ db, maintenance, clock, log }: LateResultsOptions): Rounds {
  const correctOne = async () => {
    let monitorId: string | null = null;
    try {
      return await db.transaction(async (trx) => {
        const range = await claimLate(trx);
        if (range === null) return 0;
        monitorId = range.monitorId;
        await correct(trx, range, { maintenance, clock });
        return 1;
      });
    } catch (error) {
      if (monitorId === null) throw error;
      // a monitor that cannot be corrected, or not now, must not delay the others
      log.warn({ err: error, monitorId }, 'cannot correct events by late results, retrying');
      await putOffLate(db, monitorId, LONGEST_WAIT_MS);
      return 1;
    }
  };
  return background({
    name: 'late results',
    everyMs: LOOK_MS,
    look: (isStopped) => workOff(isStopped, 1, correctOne),
    failing: 'cannot correct events by late results, retrying',
    clock,
    log,
  });
}

async function correct(
  trx: Knex,
  range: LateRange,
  { maintenance, clock }: Pick<LateResultsOptions, 'maintenance' | 'clock'>,
): Promise<void> {
  const nowMs = clock.now();
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
  const outcome = await replayRange(trx, { monitor, events, fromMs, toMs: range.to.getTime() }, { maintenance, clock });
  await write(trx, { monitor, events, fromMs, outcome });
  if (outcome.againFromMs === null) return;
  const ageMs = nowMs - range.to.getTime();
  const waitMs = Math.min(AGAIN_MS.most, Math.max(AGAIN_MS.least, ageMs / 2));
  const again = new Date(outcome.againFromMs);
  await insertLate(trx, { ...range, from: again, to: latest(range.to, again) }, waitMs);
}

/** Replays from one instant at least to another, and on until it is calm, and calm in what is stored. */
async function replayRange(
  trx: Knex,
  { monitor, events, fromMs, toMs }: { monitor: ReplayedMonitor; events: readonly ReplayedEvent[] } & Interval,
  { maintenance, clock }: Pick<LateResultsOptions, 'maintenance' | 'clock'>,
): Promise<Outcome> {
  const nowMs = clock.now();
  const openMs = events.find(({ ended_at }) => ended_at === null)?.started_at.getTime() ?? nowMs;
  if (openMs <= fromMs) return { closed: [], throughMs: fromMs, againFromMs: fromMs };
  const { consecutive_fail, consecutive_ok, interval_s, same_rule_since } = monitor;
  const ruleMs = Math.max(consecutive_fail, consecutive_ok) * interval_s * 1_000;
  const freshMs = freshnessMs(interval_s);
  const warmMs = Math.max(same_rule_since.getTime(), fromMs - freshMs - WARM_UP * ruleMs);
  const replay = new Replay(await readFacts(trx, { monitor, events, fromMs, toMs: openMs }, maintenance));
  const stored = unionOf(events.map(spanOf));
  const slices = new Slices();
  const enoughMs = toMs + freshMs + ruleMs;
  let taken = 0;
  for await (const [atMs, checks] of instants(trx, monitor, { fromMs: warmMs, toMs: openMs })) {
    await slices.spend(CHECK_STEPS * checks.length);
    replay.passUntil(atMs);
    const isEnough = atMs > enoughMs || (taken > MOST_CHECKS && atMs > fromMs);
    if (isEnough && replay.isCalm && !contains(stored, atMs))
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

async function readFacts(
  trx: Knex,
  { monitor, events, fromMs, toMs }: { monitor: ReplayedMonitor; events: readonly ReplayedEvent[] } & Interval,
  maintenance: LateResultsOptions['maintenance'],
): Promise<ReplayFacts> {
  const quorum = parseQuorum(monitor.fail_node_quorum);
  if (quorum === null) throw new RangeError(`monitor "${monitor.id}" has no quorum`);
  const { consecutive_fail: consecutiveFail, consecutive_ok: consecutiveOk } = monitor;
  // a failure that began before the end of the last one begins at that end
  const windows = await maintenance.within(trx, [monitor], { fromMs: fromMs - DAY_MS, toMs });
  const counting = events.filter(({ disputed }) => !disputed);
  const before = counting.find((event) => event.started_at.getTime() < fromMs && contains([spanOf(event)], fromMs));
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
    maintenance: (windows.get(monitor.id) ?? []).flat(),
    resolvedAtMs: events.flatMap(({ resolved_at }) => resolved_at?.getTime() ?? []),
    notBeforeMs: Math.max(monitor.not_before.getTime(), ended?.ended_at?.getTime() ?? 0),
    fromMs,
    initial: before === undefined ? { event: null, resolved: null } : asOf(before, fromMs),
  };
}

async function write(
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
  for (const episode of inserted) await insert(trx, monitor, episode);
  await updatePast(trx, changes);
}

async function insert(trx: Knex, monitor: ReplayedMonitor, episode: ClosedEpisode): Promise<void> {
  const { type, startedAtMs, endedAtMs, affectedNodes, eligible, earlier } = episode;
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
    earlier,
  });
}

/** Checks that count, grouped by slot time. */
async function* instants(trx: Knex, monitor: ReplayedMonitor, { fromMs, toMs }: Interval) {
  for (let nextMs: number | null = fromMs; nextMs !== null; ) {
    const page = await listCounting(trx, monitor, { fromMs: nextMs, toMs, limit: PAGE });
    const groups = new Map<number, ReplayedCheck[]>();
    for (const check of page) groups.set(check.atMs, [...(groups.get(check.atMs) ?? []), check]);
    // the last slot time may have more checks
    nextMs = page.length === PAGE && groups.size > 1 ? (page.at(-1)?.atMs ?? null) : null;
    for (const group of groups) if (group[0] !== nextMs) yield group;
  }
}

/** State of an event at an instant at which it was open. */
function asOf(event: ReplayedEvent, atMs: number): ReplayFacts['initial'] {
  const { started_at: startedAt, resolved_at: resolvedAt, earlier_types: earlier } = event;
  const typeBy = (instantMs: number) => typeAt({ type: event.type, earlier }, instantMs);
  const type = typeBy(atMs);
  return {
    event: { type, startedAtMs: startedAt.getTime(), notifiedType: type },
    resolved: resolvedAt === null || resolvedAt.getTime() > atMs ? null : typeBy(resolvedAt.getTime()),
    earlier: earlier.filter(({ until }) => Date.parse(until) <= atMs),
  };
}

function spanOf({ started_at, ended_at }: ReplayedEvent): Interval {
  return { fromMs: started_at.getTime(), toMs: ended_at?.getTime() ?? Number.POSITIVE_INFINITY };
}

function storedOf({
  id,
  type,
  started_at,
  ended_at,
  is_known,
  disputed,
  earlier_types: earlier,
}: ReplayedEvent): StoredEpisode[] {
  if (ended_at === null) return [];
  const times = { startedAtMs: started_at.getTime(), endedAtMs: ended_at.getTime() };
  return [{ id, type, ...times, isKnown: is_known, isDisputed: disputed, earlier }];
}

function closedOf(episodes: readonly Episode[]): ClosedEpisode[] {
  return episodes.filter((episode): episode is ClosedEpisode => episode.endedAtMs !== null);
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
