import { type HeaderLine, MAX_KEPT_HEADER_LINES } from '@vantage/shared/probe-types/http.js';
import { MAX_KEPT_HEADER_BYTES } from './limits.js';

/** Bytes that a character takes in JSON at most, and a line around its texts. */
const MAX_CHARACTER_BYTES = 2;
const MAX_LINE_OVERHEAD = 32;
/** Characters that control a terminal, and that no text of a result has. */
const controls = /[\0-\x08\x0a-\x1f\x7f]/g;

/** Header lines that a result keeps. */
export interface KeptHeaders {
  readonly lines: readonly HeaderLine[];
  /** True if others were left out. */
  readonly areTruncated: boolean;
}

/**
 * The header lines that a result has room for, without control characters, each whole and in their order. Where there are too many, the first line of
 * each name comes before further ones, and a short one before a long one.
 */
export function keepHeaders(lines: readonly HeaderLine[]): KeptHeaders {
  const { kept, areTruncated } = withinRoom(lines);
  return { lines: kept.map(({ name, value }) => ({ name, value: value.replace(controls, '') })), areTruncated };
}

function withinRoom(lines: readonly HeaderLine[]): { kept: readonly HeaderLine[]; areTruncated: boolean } {
  if (lines.length <= MAX_KEPT_HEADER_LINES && greatestSize(lines) <= MAX_KEPT_HEADER_BYTES)
    return { kept: lines, areTruncated: false };
  const kept = new Set<HeaderLine>();
  let bytesLeft = MAX_KEPT_HEADER_BYTES;
  for (const { line, bytes } of inOrderOfImportance(lines)) {
    if (bytes > bytesLeft || kept.size === MAX_KEPT_HEADER_LINES) continue;
    bytesLeft -= bytes;
    kept.add(line);
  }
  return { kept: lines.filter((line) => kept.has(line)), areTruncated: kept.size < lines.length };
}

/** Greatest size of the lines as JSON, without looking at their characters. */
function greatestSize(lines: readonly HeaderLine[]): number {
  return lines.reduce(
    (sum, { name, value }) => sum + MAX_LINE_OVERHEAD + MAX_CHARACTER_BYTES * (name.length + value.length),
    0,
  );
}

function inOrderOfImportance(lines: readonly HeaderLine[]) {
  const seen = new Set<string>();
  const ranked = lines.map((line) => {
    const isFirst = !seen.has(line.name);
    seen.add(line.name);
    return { line, isFirst, bytes: Buffer.byteLength(JSON.stringify(line)) + 1 };
  });
  return ranked.sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || a.bytes - b.bytes);
}
