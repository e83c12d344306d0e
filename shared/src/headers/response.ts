import type { HeaderLine } from '../probe-types/http.js';
import type { ProbeResults } from '../probe-types/index.js';
import { combineFields } from './combine-fields.js';

type HttpResult = ProbeResults['http'];

/** Final response of an http probe that kept header lines. */
export interface FinalResponse {
  readonly url: string;
  readonly isHttps: boolean;
  readonly statusCode: number;
  readonly lines: readonly HeaderLine[];
  /** As `combineFields` has them. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Final response of a probe; null if it has none, because it failed before or because a redirect could not be
 * followed. A body that cannot be read does not matter.
 */
export function finalResponse(result: HttpResult): FinalResponse | null {
  const { status_code: statusCode, final_url: url, header_lines: lines = [] } = result;
  if (statusCode === null || url === null) return null;
  const headers = combineFields(lines);
  if (!result.success && isRedirect(statusCode) && headers['location']) return null;
  return { url, isHttps: url.startsWith('https:'), statusCode, lines, headers };
}

/** Values of the lines with a name, in their order. */
export function valuesOf(lines: readonly HeaderLine[], name: string): string[] {
  return lines.filter((line) => line.name === name).map(({ value }) => value);
}

/** Location that a response asks to go to, as it came; null if there is none, or an empty one, which is none for browsers and curl. */
export function locationIn(lines: readonly HeaderLine[]): string | null {
  return valuesOf(lines, 'location').find((value) => value !== '') ?? null;
}

/** True for a status that asks to go to Location (RFC 9110 section 15.4). */
export function isRedirect(statusCode: number): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}
