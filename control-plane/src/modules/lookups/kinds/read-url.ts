import type { Host } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { malformed, missing } from '@vantage/shared/target-policy/target-error.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';

/** Longest `q` of a lookup that is about a URL, in characters. */
export const MAX_URL = 2_048;

/** URL without fragment, its host in canonical form. */
export interface QuestionUrl {
  readonly url: string;
  readonly host: Host;
}

/**
 * Reads an http or https URL; `http://` is put before a domain without scheme. An address requires the scheme: `1.2.3.4/24`
 * is more likely a network. @throws TargetError naming `q`
 */
export function readUrl(q: string, policy: TargetPolicy): QuestionUrl {
  const text = q.trim();
  if (text === '') throw missing('q', 'is required');
  if (text.length > MAX_URL) throw malformed('q', `must have at most ${MAX_URL} characters`);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const { url, host } = parseHttpUrl(hasScheme ? text : `http://${text}`, 'q');
  policy.checkHost(host, 'q');
  if (!hasScheme && host.kind === 'address')
    throw malformed('q', 'must be a domain or a URL: begin with http:// or https:// before an address');
  url.hash = '';
  if (url.href.length > MAX_URL)
    throw malformed(
      'q',
      `must have at most ${MAX_URL} characters, with the scheme and with escapes for what is not ASCII`,
    );
  return { url: url.href, host };
}
