import type { CheckReport, MissedReason } from '@vantage/shared/monitor-state/check-report.js';
import type { EventType } from './event-type.js';

/** Change of an event by a judgment. */
export type EventChange = 'opened' | 'closed';

/** Counts a change of an event after its commit. */
export type CountEvent = (type: EventType, change: EventChange) => void;

/** Counters of monitors; each counts after the commit. */
export interface MonitorCounts {
  /** Counts a check that a node delivered. */
  countCheck(outcome: CheckReport['outcome']): void;
  /** Counts slots that a node reported as not checked. */
  countMissed(reason: MissedReason, slots: number): void;
  countEvent: CountEvent;
  /** Records the delay of a judgment after its monitor was due, in seconds. */
  observeJudging(seconds: number): void;
}
