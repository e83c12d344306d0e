import type { ProbeResults } from '../probe-types/index.js';
import { locationUrl } from './location.js';
import { isRedirect, locationIn } from './response.js';

type HttpResult = ProbeResults['http'];

/** A response on the way to the final one. */
export interface HeaderHop {
  readonly url: string;
  readonly status_code: number;
  /** URL that the response leads to; null for the final one. */
  readonly location: string | null;
  readonly ms: number | null;
}

/** Responses of a probe in their order. If a redirect could not be followed, the last one has the location that it names. */
export function hopsOf(probe: HttpResult): HeaderHop[] {
  const { redirects } = probe;
  const last = lastHop(probe);
  const urls = [...redirects.slice(1), ...last].map(({ url }) => url);
  const way = redirects.map(({ url, status_code, ms }, i) => {
    const location = urls[i] ?? openLocation(probe) ?? unansweredUrl(probe);
    return { url, status_code, location, ms };
  });
  return [...way, ...last];
}

/** The response that is not among the redirects; none if there was none, or if it is a redirect that may not be followed. */
function lastHop(probe: HttpResult): HeaderHop[] {
  const { final_url: url, status_code, redirects, error } = probe;
  if (url === null || status_code === null) return [];
  const isListed = openLocation(probe) !== null && redirects.at(-1)?.url === url;
  if (isListed && error?.code !== 'too_many_redirects') return [];
  return [{ url, status_code, location: openLocation(probe), ms: lastMs(probe) }];
}

/** Destination of a redirect that was not followed, as an absolute URL; null if the response asks for none. */
function openLocation({ success, status_code, final_url, header_lines = [] }: HttpResult): string | null {
  if (success || final_url === null || !isRedirect(status_code ?? 0)) return null;
  const location = locationIn(header_lines);
  if (location === null) return null;
  return locationUrl(location, final_url)?.href ?? location;
}

/** URL of a request that had no response. */
function unansweredUrl({ final_url, last_url }: HttpResult): string | null {
  return final_url === null ? (last_url ?? null) : null;
}

function lastMs({ redirects, response_ms: totalMs }: HttpResult): number | null {
  if (totalMs === null) return null;
  const beforeMs = redirects.reduce((sum, { ms }) => sum + ms, 0);
  return Math.max(0, Math.round((totalMs - beforeMs) * 1_000) / 1_000);
}
