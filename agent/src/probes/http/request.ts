import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { userAgentWith } from '../../net/user-agent.js';
import { refusing } from '../failure.js';

/** One request of a probe, before it is written down. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly host: Host;
  readonly port: number;
  /** The caller's own headers, names as given; empty once a redirect has left the first origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Content codings that are offered unless the caller sets the header. */
  readonly acceptEncoding: string;
  /** Cookies that earlier responses have set, as they are sent back; empty: none. */
  readonly cookies: string;
}

/** Codings that bodies are read in. */
export const usualCodings = 'gzip, deflate, br';
/** Codings of an examination: all that browsers offer, so that a server which sends none of them compresses nothing. */
const examinedCodings = 'br, gzip, zstd';

/** First request of a probe, as the caller specified it. @throws ProbeFailure target_not_allowed */
export function firstRequest({ target, params, keeps_header_lines }: ProbeSpecs['http']): HttpRequest {
  const { method, headers, body = null } = params;
  const acceptEncoding = keeps_header_lines === true ? examinedCodings : usualCodings;
  const { url, host, port } = refusing(() => parseHttpUrl(target));
  url.hash = '';
  return { url, host, port, method, headers, body, acceptEncoding, cookies: '' };
}

/**
 * Headers as they go out, names in lower case. The caller's replace the defaults; User-Agent always ends in the
 * service's own, `userAgent`. Length is stated wherever a body is sent or expected (RFC 9110 section 8.6).
 */
export function wireHeaders(request: HttpRequest, userAgent: string): Record<string, string> {
  const { method, url, headers, body, acceptEncoding, cookies } = request;
  const callers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const expectsBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return {
    host: url.host,
    accept: '*/*',
    'accept-encoding': acceptEncoding,
    ...callers,
    // those of the server first: they are newer, and many servers take the first of a name
    ...(cookies === '' ? {} : { cookie: [cookies, ...(callers['cookie'] ? [callers['cookie']] : [])].join('; ') }),
    'user-agent': userAgentWith(callers['user-agent'], userAgent),
    ...(body !== null || expectsBody ? { 'content-length': String(Buffer.byteLength(body ?? '')) } : {}),
  };
}
