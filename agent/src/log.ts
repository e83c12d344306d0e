import { paintFor } from '@vantage/shared/terminal/colours.js';
import { logLine } from '@vantage/shared/terminal/log-line.js';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { type LogLevel, readEnv } from './config.js';

export type { Logger } from 'pino';

/** Log lines on standard error: JSON for machines, one plain line each where a person is looking. */
export function createLog(level: LogLevel): Logger {
  const stderr = destination({ fd: 2, sync: true });
  const paint = paintFor(process.stderr, readEnv());
  const stream: DestinationStream = process.stderr.isTTY
    ? { write: (line) => stderr.write(logLine(line, paint)) }
    : stderr;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}
