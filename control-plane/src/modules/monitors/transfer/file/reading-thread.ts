import { Worker } from 'node:worker_threads';
import type { Clock } from '@vantage/shared/clock.js';
import { ApiError } from '../../../../http/errors.js';
import { unreadable } from '../yaml/read-file.js';
import type { PackedFile } from './packed-file.js';
import type { FileReply, FileRequest } from './thread-messages.js';

/** Limits of a thread. */
export interface ThreadLimits {
  readonly clock: Clock;
  readonly mostMs: number;
  readonly heapMb: number;
  /** Signal that the caller no longer waits. */
  readonly signal: AbortSignal | null;
}

/**
 * Reads a file in a thread of its own, which has ended when this settles.
 * @throws ApiError for an error in the file, or if it takes too much time or memory; UNAVAILABLE if it was aborted
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
    const cancel = clock.after(mostMs, () => reject(unreadable('reading it takes too long')), { unref: true });
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    worker.once('message', (reply: FileReply) => {
      if ('file' in reply) resolve(reply.file);
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
