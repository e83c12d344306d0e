import { parentPort, workerData } from 'node:worker_threads';
import { findSetAside, sqliteCode } from './database.js';
import { SpoolFile } from './spool-file.js';
import type {
  SpoolThreadOptions,
  ThreadFailure,
  ThreadOpening,
  ThreadReply,
  ThreadRequest,
} from './thread-messages.js';

// Entry point of the thread of the spool: it owns the file, and handles one request after the other, in order.

if (parentPort === null) throw new Error('spool-worker is started as a thread');
const port = parentPort;
// the creator of this thread passed exactly this
const options = workerData as SpoolThreadOptions;

function post(message: ThreadOpening | ThreadReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function describe(error: unknown): ThreadFailure {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = sqliteCode(error) || sqliteCode(cause);
  return { code, message: cause === undefined ? message : `${message}: ${cause.message}` };
}

function answer(file: SpoolFile, message: ThreadRequest): void {
  const { id } = message;
  switch (message.call) {
    case 'commit':
      return post({ id, ok: true, reply: file.commit(message.request) });
    case 'read': {
      const reply = file.read(message.request);
      return post({ id, ok: true, reply }, [reply.payloads.buffer]);
    }
    case 'close':
      file.close();
      post({ id, ok: true, reply: null });
      port.close();
  }
}

function serve(file: SpoolFile): void {
  post({
    opened: { head: file.head, snapshot: file.snapshot(), setAside: findSetAside(options.folder), damage: file.damage },
  });
  port.on('message', (message: ThreadRequest) => {
    try {
      answer(file, message);
    } catch (error) {
      post({ id: message.id, ok: false, failure: describe(error) });
    }
  });
}

try {
  serve(new SpoolFile(options));
} catch (error) {
  post({ failed: describe(error) });
}
