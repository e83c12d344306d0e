import { relative } from 'node:path';
import { inspect } from 'node:util';

/**
 * A diagnostic of a TAP test point as lines for people: difference first, then where. Unknown fields follow as Node
 * shows values, which takes circles, big integers and symbols: a test may throw anything.
 */
export function stringify(diagnostic: unknown): string {
  if (!isRecord(diagnostic)) return '';
  const { diff, at, stack, source, ...others } = diagnostic;
  const lines = [
    ...(typeof diff === 'string' ? [diff.trimEnd()] : []),
    ...Object.entries(others).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : inspect(value, shownWhole)}`,
    ),
    ...(isRecord(at) ? [`at ${place(at)}`] : []),
    ...(typeof source === 'string' ? [source.trimEnd()] : []),
    ...(typeof stack === 'string' ? [stack.trimEnd()] : []),
  ];
  return lines.join('\n');
}

const shownWhole = { depth: 8, breakLength: Number.POSITIVE_INFINITY };

function place({ fileName, lineNumber }: Record<string, unknown>): string {
  const path = String(fileName).replace(/^file:\/\//, '');
  return `${path.startsWith('/') ? relative(process.cwd(), path) : path}:${lineNumber}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
