import type { Clock } from '@vantage/shared/clock.js';
import type { MissedReason } from '@vantage/shared/monitor-state/check-report.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import type { Logger } from 'pino';
import type { ClockSync } from '../link/clock-sync.js';
import type { CheckMeasurement } from '../measuring/child-messages.js';
import type { MeasuringProcess } from '../measuring/measuring-process.js';
import { mayBeUplink } from './uplink-codes.js';
import type { UplinkGuard } from './uplink-guard.js';
import type { WatchedMonitor } from './watched-monitor.js';

/** Probes of monitors end by the time of their type before; a child that is 5 s over this is stuck, and is replaced. */
const CHECK_DEADLINE_MS = 125_000;
const FAULT_WARNING_MS = 60_000;
/** A check may wait for its turn a tenth of its interval: begun later it would be of another moment. */
const PATIENCE_MS = { least: 5_000, most: 60_000 };

export interface MonitorMeasurementsOptions {
  readonly measuring: Pick<MeasuringProcess, 'check'>;
  readonly uplink: Pick<UplinkGuard, 'isLost'>;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Has monitors checked by the measuring process, and reports which of its failures say nothing about the target. */
export class MonitorMeasurements {
  #checks = 0;
  #warnedOfFaultAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: MonitorMeasurementsOptions) {}

  /** Checks a monitor now. `wantsDetails`: also if it succeeds. */
  measure({ assignment: { monitorId }, spec, grid }: WatchedMonitor, wantsDetails: boolean): Promise<CheckMeasurement> {
    this.#checks += 1;
    const { type, target, configJson } = spec;
    const { measuring, clock, clockSync } = this.options;
    const nowMs = clockSync.serverTimeOf(clock.now());
    const patienceMs = Math.min(PATIENCE_MS.most, Math.max(PATIENCE_MS.least, grid.intervalMs / 10));
    const job = { type, target, configJson, deadlineMs: CHECK_DEADLINE_MS, patienceMs, caller: monitorId, nowMs };
    return measuring.check({ id: `check ${this.#checks}`, ...job, wantsDetails });
  }

  /** Reason why an unsuccessful check does not count; null if it counts. */
  async excuseOf({ error }: CheckJudgment): Promise<MissedReason | null> {
    if (error === null) return null;
    if (error.code === 'overload') return 'behind';
    // a failure of this node says nothing about the target
    if (error.code === 'internal' || error.code === 'cancelled') return 'agent_fault';
    return mayBeUplink(error.code) && (await this.options.uplink.isLost()) ? 'uplink_lost' : null;
  }

  /** Says why checks of a node fail by its own fault, at most once a minute: its owner sees only that they are missed. */
  warnOfFault({ assignment: { monitorId }, spec: { type } }: WatchedMonitor, { error }: CheckJudgment): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#warnedOfFaultAt < FAULT_WARNING_MS) return;
    this.#warnedOfFaultAt = nowMs;
    this.options.log.warn({ monitorId, type, error: error?.message }, 'a check failed by a fault of this node');
  }
}
