import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../../../../http/errors.js';
import { parseFile } from './parse-file.js';
import type { FileReply, FileRequest } from './thread-messages.js';

// A thread: a file of five MiB takes seconds to read, and makes ten thousand drafts.

function replyTo({ bytes, format }: FileRequest): FileReply {
  try {
    return { file: parseFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), format) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, details = {} } = error;
    return { refused: { code, details } };
  }
}

parentPort?.postMessage({ isReading: true } satisfies FileReply, []);
const reply = replyTo(workerData);
const packs = 'file' in reply ? reply.file.packs : [];
parentPort?.postMessage(
  reply,
  packs.map(({ buffer }) => buffer),
);
