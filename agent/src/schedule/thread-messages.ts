import type { ScheduleBatch, StoredSchedule } from './stored-schedule.js';

// What the main thread and the schedule's thread tell each other: one request at a time, and its answer.

export interface ScheduleThreadOptions {
  readonly path: string;
  /** The file was found damaged while open: it is put aside whatever a check says. */
  readonly isSuspect: boolean;
}

export type ToScheduleThread = { readonly kind: 'save'; readonly batch: ScheduleBatch } | { readonly kind: 'close' };

export type FromScheduleThread =
  | { readonly kind: 'opened'; readonly stored: StoredSchedule; readonly setAside: string | null }
  | { readonly kind: 'saved' }
  /** `code`: SQLite's result code name, or ''. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
