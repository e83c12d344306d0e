import { type StartedThread, Thread } from '@vantage/shared/thread.js';
import type { ScheduleBatch, StoredSchedule } from './stored-schedule.js';

/** The thread's heap, MiB: it holds what ten thousand assignments are, once. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** Passed to the thread when it starts. */
export interface ScheduleThreadOptions {
  readonly path: string;
  /** The open file was found damaged: it is moved aside whatever a check finds. */
  readonly isSuspect: boolean;
}

/** Requests to the thread, with the reply of each. */
export interface ScheduleMessages {
  readonly open: {
    readonly request: ScheduleThreadOptions;
    readonly reply: { readonly stored: StoredSchedule; readonly setAside: string | null };
  };
  readonly save: { readonly request: ScheduleBatch; readonly reply: void };
}

/** Starts the owner of the file; resolves when it has opened the file. @throws ThreadError */
export type StartScheduleThread = (options: ScheduleThreadOptions) => Promise<StartedThread<ScheduleMessages>>;

/** Starts the thread that owns the file. @throws ThreadError */
export const startScheduleThread: StartScheduleThread = (options) =>
  Thread.start(new URL('./schedule-worker.js', import.meta.url), options, HEAP_LIMITS);
