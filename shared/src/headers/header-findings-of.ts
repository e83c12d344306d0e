import { cookieWeaknesses } from './cookies.js';
import { cspWeaknesses, limitsFrames, parseCsp } from './csp.js';
import { type HeaderCode, headerCodes } from './header-grades.js';
import { parseHsts } from './hsts.js';
import { type FinalResponse, valuesOf } from './response.js';

/** Shortest max-age without a finding, in seconds: 180 days. */
const LONG_ENOUGH_S = 180 * 86_400;
/** Referrer policies that send whole URLs to other sites (Referrer Policy section 3). */
const weakReferrerPolicies = new Set(['unsafe-url', 'no-referrer-when-downgrade']);
const referrerPolicies = new Set([
  ...weakReferrerPolicies,
  'no-referrer',
  'same-origin',
  'origin',
  'strict-origin',
  'origin-when-cross-origin',
  'strict-origin-when-cross-origin',
]);

/** Findings in the headers of a response of the site itself, worst first. */
export function findInHeaders(response: FinalResponse): HeaderCode[] {
  const found = new Set<HeaderCode>([
    ...hstsFindings(response),
    ...cspFindings(response),
    ...cookieWeaknesses(valuesOf(response.lines, 'set-cookie'), response.isHttps),
    ...otherFindings(response.headers),
  ]);
  return headerCodes.filter((code) => found.has(code));
}

/** True if the response carries a policy that browsers obey: over https, and of several headers the first (RFC 6797 section 8.1). */
export function hasHsts({ isHttps, lines }: FinalResponse): boolean {
  const [first] = valuesOf(lines, 'strict-transport-security');
  return isHttps && first !== undefined && (parseHsts(first)?.maxAge ?? 0) > 0;
}

function hstsFindings(response: FinalResponse): HeaderCode[] {
  const values = valuesOf(response.lines, 'strict-transport-security');
  const [first] = values;
  if (first === undefined) return ['no_hsts'];
  if (!response.isHttps) return ['no_hsts', 'hsts_over_http'];
  const repeated: HeaderCode[] = values.length > 1 ? ['hsts_repeated'] : [];
  const policy = parseHsts(first);
  if (policy === null) return ['no_hsts', 'hsts_invalid', ...repeated];
  if (policy.maxAge === 0) return ['no_hsts', ...repeated];
  if (policy.maxAge < LONG_ENOUGH_S) repeated.push('hsts_short');
  return policy.includesSubdomains ? repeated : ['hsts_no_subdomains', ...repeated];
}

function cspFindings({ headers }: FinalResponse): HeaderCode[] {
  const policies = parseCsp(headers['content-security-policy'] ?? '');
  const found: HeaderCode[] = [...cspWeaknesses(policies)];
  if (policies.length === 0) found.push('no_csp');
  if (policies.some(({ duplicates }) => duplicates.length > 0)) found.push('csp_duplicate');
  if (parseCsp(headers['content-security-policy-report-only'] ?? '').length > 0) found.push('csp_report_only');
  // any of several values protects: browsers deny where they differ (HTML standard, check X-Frame-Options)
  const frameOptions = (headers['x-frame-options'] ?? '').split(',').map((value) => value.trim());
  if (!limitsFrames(policies) && !frameOptions.some((value) => /^(?:deny|sameorigin)$/i.test(value)))
    found.push('no_frame_protection');
  return found;
}

function otherFindings(headers: FinalResponse['headers']): HeaderCode[] {
  const found: HeaderCode[] = [];
  // the first value counts (Fetch standard, determine nosniff)
  if (headers['x-content-type-options']?.split(',')[0]?.trim().toLowerCase() !== 'nosniff')
    found.push('no_content_type_options');
  const referrer = referrerPolicyOf(headers['referrer-policy'] ?? '');
  if (referrer === undefined) found.push('no_referrer_policy');
  else if (weakReferrerPolicies.has(referrer)) found.push('weak_referrer_policy');
  if ((headers['permissions-policy'] ?? '') === '') found.push('no_permissions_policy');
  if ((headers['cross-origin-opener-policy'] ?? '') === '') found.push('no_coop');
  if ([headers['server'], headers['x-powered-by']].some((text) => /\/v?\d/.test(text ?? '')))
    found.push('server_version');
  return found;
}

/** The last known one of the list counts (Referrer Policy section 8.1). */
function referrerPolicyOf(value: string): string | undefined {
  return value
    .split(',')
    .map((policy) => policy.trim().toLowerCase())
    .findLast((policy) => referrerPolicies.has(policy));
}
