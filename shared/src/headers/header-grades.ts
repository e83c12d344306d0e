/** Grades of headers from best to worst. */
export const headerGrades = ['A+', 'A', 'A-', 'B', 'C', 'D', 'F'] as const;
export type HeaderGrade = (typeof headerGrades)[number];

interface HeaderRule {
  /** Best grade that the finding allows; null if it does not limit the grade. */
  readonly cap: HeaderGrade | null;
  /** Header that the finding is about, in lower case; null for one about no header. */
  readonly header: string | null;
}

const about = (header: string | null, cap: HeaderGrade | null): HeaderRule => ({ cap, header });

/**
 * Findings of the analysis of headers, worst first: a closed list, part of the public API. The grade is the worst cap
 * (docs/header-grades.md); the texts are in diagnose/findings/header-findings.ts.
 */
export const headerRules = {
  plain_http: about(null, 'F'),
  https_downgrade: about('location', 'F'),
  no_https_redirect: about('location', 'C'),
  no_hsts: about('strict-transport-security', 'C'),
  cookie_not_secure: about('set-cookie', 'C'),
  hsts_short: about('strict-transport-security', 'B'),
  no_csp: about('content-security-policy', 'B'),
  csp_no_script_src: about('content-security-policy', 'B'),
  csp_unsafe_inline: about('content-security-policy', 'B'),
  csp_wildcard: about('content-security-policy', 'B'),
  no_frame_protection: about('x-frame-options', 'B'),
  no_content_type_options: about('x-content-type-options', 'B'),
  cookie_prefix_broken: about('set-cookie', 'B'),
  cookie_none_not_secure: about('set-cookie', 'B'),
  csp_unsafe_eval: about('content-security-policy', 'A-'),
  csp_no_object_src: about('content-security-policy', 'A-'),
  csp_no_base_uri: about('content-security-policy', 'A-'),
  weak_referrer_policy: about('referrer-policy', 'A-'),
  cookie_not_http_only: about('set-cookie', 'A-'),
  cookie_no_same_site: about('set-cookie', 'A-'),
  no_referrer_policy: about('referrer-policy', 'A'),
  no_permissions_policy: about('permissions-policy', 'A'),
  hsts_no_subdomains: about('strict-transport-security', 'A'),
  csp_duplicate: about('content-security-policy', 'A'),
  server_version: about('server', 'A'),
  not_the_site: about(null, null),
  hsts_invalid: about('strict-transport-security', null),
  hsts_repeated: about('strict-transport-security', null),
  hsts_over_http: about('strict-transport-security', null),
  csp_report_only: about('content-security-policy-report-only', null),
  no_coop: about('cross-origin-opener-policy', null),
  no_compression: about('content-encoding', null),
  no_cdn: about(null, null),
} as const satisfies Record<string, HeaderRule>;

export type HeaderCode = keyof typeof headerRules;

/** Every code, worst first. */
export const headerCodes = Object.keys(headerRules) as HeaderCode[];

/** The worst cap among the findings, A+ without any; null where the response is not the site's. */
export function headerGradeOf(codes: readonly HeaderCode[]): HeaderGrade | null {
  if (codes.includes('not_the_site')) return null;
  const ranks = codes.flatMap((code) => {
    const { cap } = headerRules[code];
    return cap === null ? [] : [headerGrades.indexOf(cap)];
  });
  return headerGrades[Math.max(0, ...ranks)] ?? 'A+';
}
