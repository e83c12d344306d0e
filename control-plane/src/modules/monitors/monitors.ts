import type { EventActs } from './acts/event-acts.js';
import type { MonitorActs } from './acts/monitor-acts.js';
import type { TestChecks } from './acts/test-checks.js';
import type { Heartbeats } from './heartbeats/heartbeats.js';
import type { History } from './history/history.js';
import type { EventReading } from './reading/event-reading.js';
import type { LiveReading } from './reading/live-reading.js';
import type { Reading } from './reading/reading.js';
import type { MonitorTransfer } from './transfer/monitor-transfer.js';

/** Monitors as routes know them: one part per kind of operation. */
export interface Monitors {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Judges monitors that are due, without waiting for the next round. */
  judge(): void;
  readonly acts: MonitorActs;
  readonly reading: Reading;
  readonly live: LiveReading;
  readonly history: History;
  readonly testChecks: TestChecks;
  readonly events: EventReading;
  readonly eventActs: EventActs;
  readonly heartbeats: Heartbeats;
  readonly transfer: MonitorTransfer;
}

declare module '../../http/route.js' {
  interface Services {
    readonly monitors: Monitors;
  }
}
