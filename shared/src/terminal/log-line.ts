import { textCell } from '../probe-types/cells.js';
import type { Paint, Tone } from './colours.js';

const tones: Readonly<Record<string, Tone>> = { warn: 'warning', error: 'bad', fatal: 'bad' };

/**
 * A log line of JSON as text for people, with its end: `12:00:01 warn   link closed  url=… reason="was lost"`, in UTC. The
 * stack of an error stands below. Texts cannot control the terminal.
 */
export function logLine(json: string, paint: Paint): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const name = String(level);
  const texts = Object.entries(fields).map(([field, value]) => paint(`${field}=${valueText(value)}`, 'faint'));
  const head = [
    paint(String(time).slice(11, 19), 'faint'),
    paint(name.padEnd(5), tones[name] ?? 'faint'),
    [textCell(String(msg)), ...(err === undefined ? [] : [`err=${valueText(messageOf(err))}`]), ...texts].join('  '),
  ].join(' ');
  return [head, ...stackOf(err).map((line) => paint(`  ${line}`, 'faint'))].map((line) => `${line}\n`).join('');
}

/** Text of a value: as it is if it is one word, else as JSON. */
function valueText(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value);
  return textCell(isWord ? value : JSON.stringify(value));
}

function messageOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
}

/** Lines of the stack of an error below its message. */
function stackOf(error: unknown): string[] {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => textCell(line.trim()));
}
