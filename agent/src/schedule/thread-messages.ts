import type { ScheduleBatch, StoredSchedule } from './stored-schedule.js';

// Messages between the main thread and the thread of the schedule: one request at a time, and its reply.

export interface ScheduleThreadOptions {
  readonly path: string;
  /** The open file was found damaged: it is moved aside whatever a check finds. */
  readonly isSuspect: boolean;
}

export type ToScheduleThread = { readonly kind: 'save'; readonly batch: ScheduleBatch } | { readonly kind: 'close' };

export type FromScheduleThread =
  | { readonly kind: 'opened'; readonly stored: StoredSchedule; readonly setAside: string | null }
  | { readonly kind: 'saved' }
  /** `code`: SQLite's result code name, or ''. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
