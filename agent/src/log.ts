import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

export type { Logger } from 'pino';

/** Log lines on standard error: JSON for machines, one plain line each where a person is looking. */
export function createLog(level: LogLevel): Logger {
  const stderr = destination({ fd: 2, sync: true });
  const stream: DestinationStream = process.stderr.isTTY ? { write: (line) => stderr.write(readable(line)) } : stderr;
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

/** `12:00:01 WARN  link closed  url="…" reason="lost"` out of a line of JSON. */
export function readable(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${String(time).slice(11, 19)} ${String(level).toUpperCase().padEnd(5)} ${[msg, ...rest].join('  ')}\n`;
}
