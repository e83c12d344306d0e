import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import type { ScheduleDatabase } from './schedule-database.js';
import type { FromScheduleThread, ScheduleThreadOptions, ToScheduleThread } from './thread-messages.js';

// Thread of the schedule: it owns the file, so that a slow disk delays nothing else. This file is the entry point of
// the thread and also starts it: imported on demand, it is a separate file in the bundled program, too.

/** The thread's heap, MiB: it holds what ten thousand assignments are, once. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };
const THREAD_NAME = 'schedule';

/** Starts the thread, which says `opened` or `failed` first of all. */
export function startScheduleWorker(options: ScheduleThreadOptions): Worker {
  return new Worker(new URL(import.meta.url), {
    workerData: { ...options, thread: THREAD_NAME },
    resourceLimits: HEAP_LIMITS,
  });
}

async function serve(port: MessagePort, { path, isSuspect }: ScheduleThreadOptions): Promise<void> {
  const { openSchedule, sqliteCode } = await import('./schedule-database.js');
  const post = (message: FromScheduleThread) => port.postMessage(message);
  const fail = (error: unknown) =>
    post({ kind: 'failed', code: sqliteCode(error), message: error instanceof Error ? error.message : String(error) });
  try {
    const { database, stored, setAside } = openSchedule(path, { isSuspect });
    port.on('message', (message: ToScheduleThread) => {
      try {
        if (message.kind === 'close') end(port, database);
        else post(saved(database, message));
      } catch (error) {
        fail(error);
      }
    });
    post({ kind: 'opened', stored, setAside });
  } catch (error) {
    fail(error);
  }
}

function saved(database: ScheduleDatabase, { batch }: Extract<ToScheduleThread, { kind: 'save' }>): FromScheduleThread {
  database.save(batch);
  return { kind: 'saved' };
}

function end(port: MessagePort, database: ScheduleDatabase): void {
  database.close();
  port.close();
}

function isOurThread(data: unknown): data is ScheduleThreadOptions {
  return typeof data === 'object' && data !== null && 'thread' in data && data.thread === THREAD_NAME;
}

if (!isMainThread && parentPort !== null && isOurThread(workerData)) void serve(parentPort, workerData);
