import type { Clock } from '@vantage/shared/clock.js';
import type { MissedReason } from '@vantage/shared/monitor-state/check-report.js';
import { isBad, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import { type MissedSlots, slotAt } from '@vantage/shared/monitor-state/slots.js';
import type { Logger } from 'pino';
import type { ClockSync } from '../link/clock-sync.js';
import type { StateSource, WatchedState } from '../link/state-sources.js';
import type { CheckMeasurement } from '../measuring/child-messages.js';
import type { MeasuringProcess } from '../measuring/measuring-process.js';
import type { Spool } from '../spool/spool.js';
import { AskedChecks, type CheckRequest } from './asked-checks.js';
import type { Assignment } from './assignment.js';
import { type AssignmentsChange, AssignmentTable } from './assignment-table.js';
import { DetailsBudget } from './details-budget.js';
import { DueHeap } from './due-heap.js';
import { LastSlots } from './last-slots.js';
import { LatenessWindow } from './lateness-window.js';
import { Lease } from './lease.js';
import { MonitorMeasurements } from './monitor-measurements.js';
import { askedReport, checkReport, missedReport, newestState, stateAfter } from './reports.js';
import { type RunningCheck, RunningChecks } from './running-checks.js';
import type { ScheduleFile } from './schedule-file.js';
import { isFarAhead, LATEST_START_AFTER_RESTART_MS, LATEST_START_MS, planResume, planSlots } from './slot-plan.js';
import { SlotReports } from './slot-reports.js';
import type { ReportedSchedule, StoredRow } from './stored-schedule.js';
import { keptProgress } from './unkept-reports.js';
import type { UplinkGuard } from './uplink-guard.js';
import {
  evenRuns,
  firstSlot,
  nextDueMs,
  slotMsOf,
  type WatchedMonitor,
  watchAgain,
  watchNew,
} from './watched-monitor.js';

// Monitors that this node checks, and when. Slots are in server time (shared/src/monitor-state/slots.ts).
//
//   assigned --server time known--> slot of now checked at once --answer--> reported, waits for the next slot
//                                      '--kept from before, one of too many, or had by the assignment before--> waits
//   waits --due--> checked --answer--> reported, waits for the next slot
//     |    '--due while checked, or over a second ago (five after a restart)--> missed: reported
//     '--dropped, another generation, lease over--> forgotten; its check is still reported
//
//   missed   stopped      no agent ran, the machine slept, or server time was set forward
//            behind       this process or its child was late, or the check before still ran
//            agent_fault  this process's child died, or an engine failed
//            uplink_lost  the check failed, and so did every canary

/** Longest sleep of the timer: server time may step. */
const MAX_SLEEP_MS = 1000;
/** Checks that are due within so many milliseconds of the last ones begin together: they share messages and wake-ups. */
const TOGETHER_MS = 10;
/** Greatest number of monitors processed before the event loop gets its turn. */
const MAX_PER_TURN = 500;
/**
 * Greatest number of new assignments that are checked at once, because a user waits for them; with more, each waits for
 * its slot.
 */
const MAX_AT_ONCE = 50;
const KEEP_LEASE_MS = 60_000;
/** Greatest delay of the end by a spool whose disk takes nothing, in milliseconds. */
const KEPT_MS = 500;

/** Statistics of the schedule as `status` shows them. */
export interface ScheduleStats {
  readonly assignments: number;
  readonly running: number;
  /** Checks and slots since the start. */
  readonly checksDone: number;
  readonly slotsMissed: number;
  /** Worst of the last minute, in milliseconds. */
  readonly worstStartLateMs: number;
}

export interface ScheduleOptions {
  readonly nodeId: string;
  readonly measuring: Pick<MeasuringProcess, 'check'>;
  readonly spool: Pick<Spool, 'append'>;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  readonly uplink: Pick<UplinkGuard, 'isLost'>;
  readonly file: Pick<ScheduleFile, 'begin' | 'assignmentChanged' | 'progressChanged' | 'keepLease' | 'close'>;
  /** Schedule that the previous process left. */
  readonly stored: ReportedSchedule;
  readonly log: Logger;
  /** A report is durable in the spool. */
  readonly onDurable: () => void;
}

/** The schedule of this node: it runs on with and without a link, and every slot ends as one report. */
export class Schedule implements StateSource {
  readonly #options: ScheduleOptions;
  readonly #table = new AssignmentTable();
  readonly #watched = new Map<string, WatchedMonitor>();
  /** Monitors whose first slot is unknown because server time is. */
  readonly #unbegun = new Set<WatchedMonitor>();
  readonly #due = new DueHeap<WatchedMonitor>();
  readonly #running: RunningChecks;
  readonly #measurements: MonitorMeasurements;
  readonly #lease: Lease;
  readonly #lastSlots: LastSlots;
  readonly #reports: SlotReports<WatchedMonitor>;
  readonly #asked: AskedChecks;
  readonly #lateness = new LatenessWindow();
  readonly #detailsBudget = new DetailsBudget();
  readonly #forgetStepListener: () => void;
  #cancelTimer: () => void = () => undefined;
  #cancelLeaseTimer: () => void = () => undefined;
  /** Server time went forward by itself since the last look. */
  #hasLeapt = false;
  /** Server time was set back since the last look, or was never looked at. */
  #needsRealigning = true;
  #isStopping = false;
  #isClosed = false;
  /** Number of running checks that did not wait for their slot. */
  #runningAtOnce = 0;
  #checksDone = 0;
  #slotsMissed = 0;
  #loopLagMs = 0;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const { clock, clockSync, stored, nodeId, file, log } = options;
    this.#running = new RunningChecks(clock);
    this.#measurements = new MonitorMeasurements(options);
    this.#reports = new SlotReports({
      ...options,
      onKept: ({ isAssigned, assignment }) => {
        if (isAssigned) file.progressChanged(assignment.monitorId);
      },
    });
    this.#lease = new Lease({ clock, serverNow: () => clockSync.serverNow(), kept: stored.lease });
    this.#asked = new AskedChecks({
      measure: (watched) => this.#measurements.measure(watched, true),
      onMeasured: (watched, request, measurement) => this.#reportRequested(watched, request, measurement),
      log,
    });
    this.#lastSlots = new LastSlots(stored.reportedMs);
    this.#table.restore(stored.rows);
    for (const row of stored.rows) this.#watch(watchAgain(row, nodeId));
    this.#forgetStepListener = clockSync.onStep(({ byMs }) => {
      if (byMs > 0) this.#hasLeapt = true;
      else this.#needsRealigning = true;
    });
    file.begin((monitorId) => this.#rowOf(monitorId));
  }

  get stats(): ScheduleStats {
    return {
      assignments: this.#table.size,
      running: this.#running.size,
      checksDone: this.#checksDone,
      slotsMissed: this.#slotsMissed,
      worstStartLateMs: this.#lateness.worst(this.#options.clock.monotonicMs()),
    };
  }

  /** Continues where the previous process ended, without waiting for the control plane. */
  start(): void {
    this.#look();
    this.#keepLeaseLater();
  }

  /** Applies a change of assignments. @throws MalformedFrameError */
  take(change: AssignmentsChange): void {
    // assignments of the past have their slots until now
    this.#look();
    const { added, dropped } = this.#table.take(change);
    for (const monitorId of dropped) this.#forget(monitorId);
    for (const assignment of added) this.#replace(assignment);
    this.#look();
  }

  /** Takes a request for a check outside the grid; where none is possible now, nothing happens. */
  checkNow(asked: CheckRequest): void {
    this.#asked.take(asked, this.#isStopping ? null : (this.#watched.get(asked.monitorId) ?? null));
  }

  /** Digest by which both sides compare the assignments of this node. */
  digest(): Uint8Array {
    return this.#table.digest();
  }

  /** 0: a day. */
  setLeaseSeconds(seconds: number): void {
    this.#lease.setSeconds(seconds);
  }

  linkIs(isOpen: boolean): void {
    if (!isOpen) this.#table.interrupted();
    this.#lease.linkIs(isOpen);
  }

  async newest(): Promise<readonly WatchedState[]> {
    return [...this.#watched.values()].flatMap((watched) => newestState(watched) ?? []);
  }

  /** Largest event loop delay of the measuring process during checks since the last call, milliseconds. */
  takeLoopLag(): number {
    const lagMs = this.#loopLagMs;
    this.#loopLagMs = 0;
    return lagMs;
  }

  /** Starts no more checks, gives the running ones `timeoutMs` and saves the state. May be called twice. */
  async close(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#forgetStepListener();
    this.#cancelTimer();
    this.#cancelLeaseTimer();
    await this.#running.idle(timeoutMs);
    // later results are dropped: the next process reports the slot as missed
    this.#isClosed = true;
    await this.#reports.kept(KEPT_MS);
    this.#options.file.keepLease(this.#lease.keep());
    await this.#options.file.close();
  }

  /** Does what is due and sets the timer for what comes next. */
  #look(): void {
    if (this.#isStopping) return;
    const nowMs = this.#options.clockSync.serverNow();
    if (this.#lease.isOver) this.#dropAll();
    if (nowMs !== null) this.#seeToDue(nowMs);
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(this.#sleepMs(nowMs), () => this.#look(), { unref: true });
  }

  #seeToDue(nowMs: number): void {
    const reason = this.#hasLeapt ? 'stopped' : 'behind';
    if (this.#needsRealigning) this.#realign(nowMs);
    for (const watched of this.#unbegun) this.#begin(watched, nowMs);
    for (let seen = 0; seen < MAX_PER_TURN; seen += 1) {
      const first = this.#firstDue();
      if (first === null || first.dueMs > nowMs) {
        this.#hasLeapt = false;
        return;
      }
      this.#due.pop();
      this.#advance(first.item, nowMs, reason);
    }
  }

  /** The first that is still where it was put. */
  #firstDue() {
    for (let first = this.#due.first; first !== null; first = this.#due.first) {
      if (first.item.isAssigned && first.item.dueMs === first.dueMs) return first;
      this.#due.pop();
    }
    return null;
  }

  #sleepMs(nowMs: number | null): number {
    const first = this.#firstDue();
    if (nowMs === null || first === null) return MAX_SLEEP_MS;
    const leftMs = Math.ceil(first.dueMs - nowMs);
    return leftMs <= 0 ? 0 : Math.min(MAX_SLEEP_MS, Math.max(TOGETHER_MS, leftMs));
  }

  #begin(watched: WatchedMonitor, nowMs: number): void {
    this.#unbegun.delete(watched);
    const { slot, isItsOwn } = firstSlot(watched, nowMs);
    watched.done = slot;
    if (isItsOwn && !watched.isResuming && this.#runningAtOnce < MAX_AT_ONCE) {
      // the monitor may not have existed when its slot began
      watched.firstMs = Math.floor(nowMs);
      void this.#checkAtOnce(watched, slot);
    }
    this.#options.file.progressChanged(watched.assignment.monitorId);
    this.#queue(watched);
  }

  /** Slots that a wrong clock numbered far ahead are not waited for. */
  #realign(nowMs: number): void {
    this.#needsRealigning = false;
    const astray = [...this.#watched.values()].filter(
      ({ done, grid }) => done !== null && isFarAhead(done, nowMs, grid),
    );
    for (const watched of astray) {
      watched.state = unchecked;
      watched.isResuming = false;
      watched.done = slotAt(nowMs, watched.grid);
      this.#options.file.progressChanged(watched.assignment.monitorId);
      this.#queue(watched);
    }
    if (astray.length > 0)
      this.#options.log.warn({ assignments: astray.length }, 'server time was set back, schedule restarted');
  }

  #advance(watched: WatchedMonitor, nowMs: number, reason: MissedReason): void {
    const latestStartMs = watched.isResuming ? LATEST_START_AFTER_RESTART_MS : LATEST_START_MS;
    if (watched.isResuming) this.#resume(watched, nowMs);
    const step = planSlots(watched, nowMs, watched.grid, latestStartMs);
    if (step !== null) {
      watched.done = step.done;
      if (step.run !== null) void this.#check(watched, step.run);
      this.#miss(watched, step.missed, watched.running === null || step.run !== null ? reason : 'behind');
      this.#options.file.progressChanged(watched.assignment.monitorId);
    }
    this.#queue(watched);
  }

  #resume(watched: WatchedMonitor, nowMs: number): void {
    const { missed, done } = planResume(watched, nowMs, watched.grid);
    watched.isResuming = false;
    watched.running = null;
    watched.done = done;
    this.#miss(watched, missed, 'stopped');
    this.#options.file.progressChanged(watched.assignment.monitorId);
  }

  #miss(watched: WatchedMonitor, missed: readonly MissedSlots[], reason: MissedReason): void {
    const runs = evenRuns(watched, missed);
    for (const [index, run] of runs.entries()) {
      this.#slotsMissed += run.last - run.first + 1;
      const nextSlot = runs[index + 1]?.first ?? (watched.done ?? run.last) + 1;
      const throughMs = this.#throughMs(slotMsOf(watched, nextSlot));
      this.#reports.add(watched, run.first, missedReport(watched, run, { reason, throughMs }));
    }
  }

  async #checkAtOnce(watched: WatchedMonitor, slot: number): Promise<void> {
    this.#runningAtOnce += 1;
    await this.#check(watched, slot, { isPunctual: false });
    this.#runningAtOnce -= 1;
  }

  async #check(watched: WatchedMonitor, slot: number, { isPunctual = true } = {}): Promise<void> {
    const slotMs = slotMsOf(watched, slot);
    const running: RunningCheck = { slotMs };
    watched.running = slot;
    this.#running.add(running);
    const measurement = await this.#measurements.measure(watched, isBad(watched.state));
    const excuse = await this.#measurements.excuseOf(measurement.judgment);
    if (this.#isClosed) return;
    if (excuse === 'agent_fault') this.#measurements.warnOfFault(watched, measurement.judgment);
    watched.running = null;
    this.#running.remove(running);
    this.#loopLagMs = Math.max(this.#loopLagMs, measurement.loopLagMs);
    if (excuse === null) this.#count(watched, { slot, isPunctual }, measurement);
    else this.#miss(watched, [{ first: slot, last: slot }], excuse);
    if (watched.isAssigned) this.#options.file.progressChanged(watched.assignment.monitorId);
  }

  #count(
    watched: WatchedMonitor,
    { slot, isPunctual }: { readonly slot: number; readonly isPunctual: boolean },
    { judgment, detailsJson, startedAt }: CheckMeasurement,
  ): void {
    this.#checksDone += 1;
    const slotMs = slotMsOf(watched, slot);
    const lateMs = startedAt === null ? 0 : Math.max(0, this.#options.clockSync.serverTimeOf(startedAt) - slotMs);
    if (isPunctual) this.#lateness.note(lateMs, this.#options.clock.monotonicMs());
    watched.state = stateAfter(watched.state, { slotMs, ...judgment }, watched.spec.rule);
    const isDetailed =
      detailsJson !== null &&
      this.#detailsBudget.take(watched, this.#options.clock.monotonicMs(), judgment.outcome === 'ok');
    const check = {
      slotMs,
      lateMs,
      judgment,
      detailsJson: isDetailed ? detailsJson : null,
      throughMs: this.#throughMs(),
    };
    this.#reports.add(watched, slot, checkReport(watched, check));
  }

  /** Reports a requested check with any result: it belongs to no slot, and no state depends on it. */
  #reportRequested(watched: WatchedMonitor, request: string, measurement: CheckMeasurement): void {
    const { judgment, detailsJson, startedAt, loopLagMs } = measurement;
    if (this.#isClosed) return;
    const { clock, clockSync } = this.#options;
    this.#loopLagMs = Math.max(this.#loopLagMs, loopLagMs);
    const beganMs = clockSync.serverTimeOf(startedAt ?? clock.now());
    const report = askedReport(watched, { request, beganMs, judgment, detailsJson, throughMs: this.#throughMs() });
    this.#reports.addOutsideGrid(report);
  }

  /** Every slot that was due before has been reported, or is about to be in this very report; `otherMs`: one that is not. */
  #throughMs(otherMs = Number.POSITIVE_INFINITY): number {
    const nowMs = this.#options.clockSync.serverNow() ?? 0;
    const oldestMs = this.#running.oldestSlotMs ?? nowMs;
    const dueMs = this.#firstDue()?.dueMs ?? nowMs;
    return Math.max(0, Math.floor(Math.min(nowMs, oldestMs, dueMs, otherMs)));
  }

  #replace(assignment: Assignment): void {
    this.#forget(assignment.monitorId);
    this.#options.file.assignmentChanged(assignment.monitorId);
    this.#watch(watchNew(assignment, this.#options.nodeId, this.#lastSlots.find(assignment.monitorId)));
  }

  #watch(watched: WatchedMonitor): void {
    this.#watched.set(watched.assignment.monitorId, watched);
    if (watched.done === null) this.#unbegun.add(watched);
    else this.#queue(watched);
  }

  #queue(watched: WatchedMonitor): void {
    watched.dueMs = nextDueMs(watched);
    if (watched.dueMs !== null) this.#due.add(watched.dueMs, watched);
  }

  #forget(monitorId: string): void {
    const watched = this.#watched.get(monitorId);
    if (watched === undefined) return;
    watched.isAssigned = false;
    if (watched.done !== null) this.#lastSlots.note(monitorId, slotMsOf(watched, watched.done));
    this.#watched.delete(monitorId);
    this.#unbegun.delete(watched);
    this.#options.file.assignmentChanged(monitorId);
    if (this.#due.size > 2 * this.#watched.size + MAX_PER_TURN) this.#requeue();
  }

  /** Rebuilds the heap, which otherwise keeps an entry of every forgotten monitor until it is due. */
  #requeue(): void {
    this.#due.clear();
    for (const watched of this.#watched.values()) this.#queue(watched);
  }

  #dropAll(): void {
    const dropped = this.#table.clear();
    if (dropped.length === 0) return;
    for (const monitorId of dropped) this.#forget(monitorId);
    this.#options.log.warn({ assignments: dropped.length }, 'lease expired, no monitor is checked until the next link');
  }

  #keepLeaseLater(): void {
    this.#cancelLeaseTimer = this.#options.clock.after(
      KEEP_LEASE_MS,
      () => {
        if (this.#table.size > 0) this.#options.file.keepLease(this.#lease.keep());
        this.#keepLeaseLater();
      },
      { unref: true },
    );
  }

  #rowOf(monitorId: string): StoredRow | null {
    const watched = this.#watched.get(monitorId);
    if (watched === undefined) return null;
    const { assignment, state, firstMs } = watched;
    const progress = keptProgress(watched, this.#reports.oldestUnkept(watched));
    return { ...assignment, firstMs, ...progress, stateJson: JSON.stringify(state) };
  }
}
