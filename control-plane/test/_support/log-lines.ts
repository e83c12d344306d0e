import { Writable } from 'node:stream';
import { createLogger, type Logger } from '../../src/runtime/log.js';

export type LogLine = Readonly<Record<string, unknown>>;

/** A logger at level debug, and the lines it received. */
export function collectLog(): { log: Logger; lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  return { log: createLogger('debug', stream), lines };
}
