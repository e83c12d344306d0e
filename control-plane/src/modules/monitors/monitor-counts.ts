import type { CheckReport, MissedReason } from '@vantage/shared/monitor-state/check-report.js';
import type { EventType } from './transition.js';

/** What a judgment did to an event. */
export type EventChange = 'opened' | 'closed';

/** Takes note of one, once it is committed. */
export type CountEvent = (type: EventType, change: EventChange) => void;

/** What is counted of monitors, each when it is committed. */
export interface MonitorCounts {
  /** A node delivered a check. */
  countCheck(outcome: CheckReport['outcome']): void;
  /** A node told of slots it did not check. */
  countMissed(reason: MissedReason, slots: number): void;
  countEvent: CountEvent;
  /** A monitor was judged so long after it was due. */
  observeJudging(seconds: number): void;
}
