import type { HeaderLine } from '@vantage/shared/probe-types/http.js';

/** Header lines, names in lower case, without those of HTTP/2's own; `rawHeaders` are names and values in turn. */
export function fieldLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!name.startsWith(':')) lines.push({ name, value: rawHeaders[i + 1] ?? '' });
  }
  return lines;
}

/** Values of the lines with a name, in their order. */
export function fieldValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    // most names are distinguished by their length
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name)
      values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}
