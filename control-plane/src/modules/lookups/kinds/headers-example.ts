import type { HeadersAnswer } from './headers-answer.js';

/** Analysis of the headers of a good site, for the API document. */
export const headersExample: HeadersAnswer = {
  url: 'https://example.com/',
  domain: 'example.com',
  unicode_domain: 'example.com',
  final_url: 'https://www.example.com/',
  hops: [
    { url: 'https://example.com/', status_code: 301, location: 'https://www.example.com/', ms: 38.2 },
    { url: 'https://www.example.com/', status_code: 200, location: null, ms: 41.7 },
  ],
  headers: {
    'cf-ray': '8f0a1b2c3d4e5f60-FRA',
    'content-encoding': 'br',
    'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'strict-origin-when-cross-origin',
    server: 'cloudflare',
    'set-cookie': 'session=; Path=/; Secure; HttpOnly; SameSite=Lax',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
  },
  cookies: [{ name: 'session', secure: true, http_only: true, same_site: 'Lax' }],
  security: {
    cdn: 'Cloudflare',
    content_encoding: 'br',
    csp: "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    hsts: 'max-age=31536000; includeSubDomains',
    referrer_policy: 'strict-origin-when-cross-origin',
    server: 'cloudflare',
    x_content_type_options: 'nosniff',
  },
  analysis: { insecure: false, reasons: [] },
  grade: 'A',
  findings: [
    {
      code: 'no_permissions_policy',
      severity: 'warning',
      message: 'No Permissions-Policy.',
      header: 'permissions-policy',
    },
    {
      code: 'no_coop',
      severity: 'notice',
      message: 'No Cross-Origin-Opener-Policy.',
      header: 'cross-origin-opener-policy',
    },
  ],
  error: null,
};
