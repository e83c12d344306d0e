import { systemClock } from '@vantage/shared/clock.js';
import { paintFor } from '@vantage/shared/terminal/colours.js';
import { logLine } from '@vantage/shared/terminal/log-line.js';
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** From chatty to mute. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields that hold secrets wherever they appear at the top of a line. */
const secretFields = ['token', 'secret', 'password', 'authorization', 'proof', 'databaseUrl'];

/** A line that waits for others is written after this long: one write for many lines saves 16 us a request (2026-11). */
const FLUSH_MS = 100;
/** Characters that wait at most. */
const GATHERED_AT_MOST = 16_000;

/**
 * The program's logger: one JSON object per line, ISO 8601 time, written to `stream` (default: standard output, at most
 * 100 ms late and without blocking the event loop; what is left is written at exit, after a crash too).
 */
export function createLogger(level: LogLevel, stream: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields, censor: '[secret]' },
      serializers: { err: describeError },
    },
    stream,
  );
}

/**
 * Parts of an error that may be logged. Of its own fields only `code` is kept: a database error's `detail` repeats the
 * row that was refused, which may hold confidential data.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}

/** Where lines are shown to people: standard output if it is a terminal. */
interface TerminalOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Stream of readable lines on a terminal, without delay; undefined if the output is for programs, and gets JSON. */
export function terminalStream(
  output: TerminalOutput,
  env: Readonly<Record<string, string | undefined>>,
): DestinationStream | undefined {
  if (output.isTTY !== true) return undefined;
  const paint = paintFor(output, env);
  return { write: (line) => void output.write(logLine(line, paint)) };
}

let output: DestinationStream | null = null;

/** The same for all loggers of the process: each destination has a timer of its own, which never ends. */
function standardOutput(): DestinationStream {
  output ??= gathered();
  return output;
}

/**
 * Standard output, by one write for many lines. They are gathered here: the library (sonic-boom 4.2) would measure all
 * that waits again with each line, which takes as long as making the line.
 */
function gathered(): DestinationStream & { flushSync(): void } {
  let lines: string[] = [];
  let length = 0;
  let cancelTimer: (() => void) | null = null;
  const handOver = (to: DestinationStream) => {
    cancelTimer?.();
    cancelTimer = null;
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    length = 0;
    to.write(text);
  };
  const handOverLater = () => handOver(target);
  // before those of the destination, which write what it has by then
  process.on('beforeExit', handOverLater);
  process.on('exit', handOverLater);
  const target = destination({ fd: 1, sync: false });
  return {
    write: (line) => {
      lines.push(line);
      length += line.length;
      if (length >= GATHERED_AT_MOST) handOverLater();
      else cancelTimer ??= systemClock.after(FLUSH_MS, handOverLater, { unref: true });
    },
    // the logger calls it after a fatal line; `target` would begin a write in a thread, which a process that is killed does not end
    flushSync: () => {
      target.flushSync();
      handOver(destination({ fd: 1, sync: true }));
    },
  };
}
