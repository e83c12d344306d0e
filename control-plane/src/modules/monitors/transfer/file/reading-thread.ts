import { Worker } from 'node:worker_threads';
import type { Clock } from '@vantage/shared/clock.js';
import { ApiError } from '../../../../http/errors.js';
import { unreadable } from '../yaml/read-file.js';
import type { PackedFile } from './packed-file.js';
import type { FileReply, FileRequest } from './thread-messages.js';

/** Longest wait for a thread to begin, in milliseconds: 0.2 s of work (0.9 s without a bundle), which a busy machine may hold up. */
const LONGEST_START_MS = 30_000;

export interface ThreadLimits {
  readonly clock: Clock;
  /** Longest time for reading, in milliseconds from when the thread begins to read. */
  readonly mostMs: number;
  readonly heapMb: number;
  /** Signal that the caller no longer waits. */
  readonly signal: AbortSignal | null;
}

/**
 * Reads a file in a thread of its own, which has ended when this settles.
 * @throws ApiError for an error in the file, or if it takes too much time or memory; UNAVAILABLE if the thread does not
 * begin in time, or if it was aborted
 */
export async function readInThread({ bytes, format }: FileRequest, limits: ThreadLimits): Promise<PackedFile> {
  const worker = new Worker(new URL('./file-thread.js', import.meta.url), {
    // nothing else that a request carries
    workerData: { bytes, format } satisfies FileRequest,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
  });
  try {
    return await replyOf(worker, limits);
  } finally {
    await worker.terminate();
  }
}

function replyOf(worker: Worker, { clock, mostMs, signal }: ThreadLimits): Promise<PackedFile> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new ApiError('UNAVAILABLE'));
    let cancel = limit(clock, LONGEST_START_MS, () => reject(new ApiError('UNAVAILABLE')));
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    worker.on('message', (reply: FileReply) => {
      if ('isReading' in reply) {
        cancel();
        cancel = limit(clock, mostMs, () => reject(unreadable('reading it takes too long')));
      } else if ('file' in reply) resolve(reply.file);
      else reject(new ApiError(reply.refused.code, { details: reply.refused.details }));
    });
    worker.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? unreadable('reading it takes too much memory') : error),
    );
    worker.once('exit', () => {
      cancel();
      signal?.removeEventListener('abort', leave);
      reject(new Error('the thread that reads files ended without a reply'));
    });
  });
}

/** Calls back after a time, unless it is called off before, or by a message that arrived in time. @returns how to call it off */
function limit(clock: Clock, ms: number, callback: () => void): () => void {
  let isOff = false;
  const cancel = clock.after(ms, () => clock.afterInput(() => isOff || callback()), { unref: true });
  return () => {
    isOff = true;
    cancel();
  };
}
