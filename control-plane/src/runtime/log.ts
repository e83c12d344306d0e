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

/** Stream of readable lines on a terminal, without delay; undefined: the output is for programs, and gets JSON. */
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
  output ??= destination({ fd: 1, sync: false, minLength: 16_000, periodicFlush: FLUSH_MS });
  return output;
}
