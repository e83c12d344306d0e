import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import type { CodeOf } from '@vantage/shared/diagnose/finding-table.js';
import { analyseHeaders } from '@vantage/shared/headers/analyse-headers.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { http } from '../../src/probes/http/index.js';
import { tlsIdentity } from '../_support/certificates.js';
import { aContext, aSpec } from '../_support/probe-context.js';

type Headers = Readonly<Record<string, string | readonly string[] | null>>;

/** Headers without a finding. */
const flawless: Headers = {
  'content-type': 'text/html',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=()',
  'cross-origin-opener-policy': 'same-origin',
  'cf-ray': '1-FRA',
};

/** Response with the headers of a flawless site except for these; null leaves one out. */
const respond =
  (headers: Headers, { status = 200, body = 'hello' } = {}): RequestListener =>
  (_request, response) => {
    for (const [name, value] of Object.entries({ ...flawless, ...headers }))
      if (value !== null) response.setHeader(name, value);
    response.writeHead(status).end(body);
  };

/** Analysis of a site at `url`, which is also asked by plain http at `plainUrl`. */
async function analyse(url: string, plainUrl: string | null): ReturnType<FindingCase> {
  const plain = plainUrl === null ? null : await examine(plainUrl, false);
  const analysis = analyseHeaders({ url, probe: await examine(url, true), plain, asn: null });
  if (analysis === null) throw new Error('no response');
  return { headers: { nodeId: 'n1', error: null, value: { codes: analysis.codes, facts: {} } } };
}

function examine(url: string, follows: boolean): Promise<ProbeResults['http']> {
  const spec = { ...aSpec('http', url, { follow_redirects: follows }), keeps_header_lines: true as const };
  return http.run(spec, aContext());
}

async function listen(t: Test, server: Server | ReturnType<typeof createHttpsServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function startPlain(t: Test, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(t, createHttpServer(listener))}/`;
}

async function startSecure(t: Test, listener: RequestListener): Promise<string> {
  return `https://127.0.0.1:${await listen(t, createHttpsServer(tlsIdentity('good'), listener))}/`;
}

/** A site over https with these headers. */
const site =
  (headers: Headers, options: Parameters<typeof respond>[1] = {}): FindingCase =>
  async (t) =>
    analyse(await startSecure(t, respond(headers, options)), null);

const cookie = (line: string) => site({ 'set-cookie': line });
const policy = (text: string) => site({ 'content-security-policy': text });
const plain: FindingCase = async (t) => analyse(await startPlain(t, respond({})), null);

/** A site without a finding. */
export const flawlessSite = site({});

/** A site for each finding of section `security_headers`. */
export const headerCases: Readonly<Record<CodeOf<'security_headers'>, FindingCase>> = {
  plain_http: plain,
  https_downgrade: async (t) => {
    const location = await startPlain(t, respond({}));
    const redirect: RequestListener = (_request, response) => response.writeHead(301, { location }).end();
    return analyse(await startSecure(t, redirect), null);
  },
  no_https_redirect: async (t) => analyse(await startSecure(t, respond({})), await startPlain(t, respond({}))),
  no_hsts: site({ 'strict-transport-security': null }),
  cookie_not_secure: cookie('id=1; HttpOnly; SameSite=Lax'),
  hsts_short: site({ 'strict-transport-security': 'max-age=3600; includeSubDomains' }),
  no_csp: site({ 'content-security-policy': null, 'x-frame-options': 'DENY' }),
  csp_no_script_src: policy("object-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
  csp_unsafe_inline: policy("default-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"),
  csp_wildcard: policy("default-src *; base-uri 'none'; frame-ancestors 'none'"),
  no_frame_protection: policy("default-src 'self'; base-uri 'none'"),
  no_content_type_options: site({ 'x-content-type-options': null }),
  cookie_prefix_broken: cookie('__Host-id=1; Secure; HttpOnly; SameSite=Lax; Path=/shop'),
  cookie_none_not_secure: cookie('id=1; HttpOnly; SameSite=None'),
  csp_unsafe_eval: policy("default-src 'self' 'unsafe-eval'; base-uri 'none'; frame-ancestors 'none'"),
  csp_no_object_src: policy("script-src 'self'; base-uri 'none'; frame-ancestors 'none'"),
  csp_no_base_uri: policy("default-src 'self'; frame-ancestors 'none'"),
  weak_referrer_policy: site({ 'referrer-policy': 'unsafe-url' }),
  cookie_not_http_only: cookie('id=1; Secure; SameSite=Lax'),
  cookie_no_same_site: cookie('id=1; Secure; HttpOnly'),
  no_referrer_policy: site({ 'referrer-policy': null }),
  no_permissions_policy: site({ 'permissions-policy': null }),
  hsts_no_subdomains: site({ 'strict-transport-security': 'max-age=31536000' }),
  csp_duplicate: policy("default-src 'self'; default-src *; base-uri 'none'; frame-ancestors 'none'"),
  server_version: site({ server: 'nginx/1.22.1' }),
  not_the_site: site({}, { status: 403 }),
  hsts_invalid: site({ 'strict-transport-security': 'max-age=soon' }),
  hsts_repeated: site({ 'strict-transport-security': ['max-age=31536000; includeSubDomains', 'max-age=1'] }),
  hsts_over_http: plain,
  csp_report_only: site({ 'content-security-policy-report-only': "default-src 'none'" }),
  no_coop: site({ 'cross-origin-opener-policy': null }),
  no_compression: site({}, { body: 'hello '.repeat(400) }),
  no_cdn: site({ 'cf-ray': null }),
};
