import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import type { Facts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { type Assertion, type AssertionType, assertionTypes } from '../assertions/schema.js';
import { withoutSecrets } from '../assertions/shown.js';
import { ClientCertificateSchema } from '../probe-types/client-certificate.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { checkRequestHeaders } from '../target-policy/headers.js';
import { parseHost } from '../target-policy/host.js';
import { TargetError } from '../target-policy/target-error.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';
import { checkClientCertificate } from './client-certificate.js';
import { commonFields } from './common-fields.js';
import { authorizationOf, CredentialsSchema, checkCredentials } from './credentials.js';
import { remainingOf } from './days-until.js';
import { checkExpectedStatus, expectedStatusField, isExpectedStatus, statusTexts } from './expected-status.js';
import { secretReachField, secretTexts } from './secrets.js';

const { properties: params } = probeTypes.http.Params;

/** Settings of every type that makes an HTTP request. */
export const httpFields = {
  method: params.method,
  headers: {
    ...params.headers,
    // auth takes the place of one
    maxProperties: 31,
    description:
      'Request headers. Host, framing and hop-by-hop headers may not be set. All headers except plain ones (Accept, Content-Type, User-Agent …) are sealed; the values of headers with auth, bearer, cookie, credential, jwt, key, pass, secret, session, signature or token in their names are never shown again.',
  },
  body: Type.Optional(
    Type.String({
      maxLength: 32768,
      description:
        'Request body, at most 32768 characters. Sealed; shown only to credentials with the scope `monitor:read`.',
    }),
  ),
  timeout_ms: params.timeout_ms,
  follow_redirects: params.follow_redirects,
  max_redirects: params.max_redirects,
  ip_version: params.ip_version,
  http_version: params.http_version,
  resolver: params.resolver,
  verify_tls: Type.Boolean({ default: true, description: 'Fail if the certificate is invalid.' }),
  expected_status: expectedStatusField,
  auth: Type.Optional(CredentialsSchema),
  client_certificate: Type.Optional(ClientCertificateSchema),
  allow_secrets_on: secretReachField,
  ...commonFields,
};

const HttpFields = Type.Object(httpFields, { additionalProperties: false });
/** Values of `httpFields`. */
export type HttpConfig = Static<typeof HttpFields>;

/** Searches in the body that a type makes itself, in addition to its assertions. */
interface LookFor {
  readonly keywords?: readonly string[];
  readonly jsonPaths?: readonly string[];
}

/** The request of a check, and everything that is looked for in its answer. */
export function httpSpec(target: string, config: HttpConfig, lookFor: LookFor = {}): ProbeSpecs['http'] {
  const { method, headers, body, timeout_ms, follow_redirects, max_redirects } = config;
  const { ip_version, http_version, resolver, verify_tls, assertions, client_certificate } = config;
  const authorization = authorizationIn(config);
  const keywords = [...new Set([...(lookFor.keywords ?? []), ...textsIn(assertions)])];
  const paths = [...new Set([...(lookFor.jsonPaths ?? []), ...pathsIn(assertions)])];
  return {
    target,
    params: {
      method,
      headers: authorization === null ? headers : { ...headers, Authorization: authorization },
      ...(body === undefined ? {} : { body }),
      follow_redirects,
      max_redirects,
      ip_version,
      http_version,
      ...(resolver === undefined ? {} : { resolver }),
      verify_tls,
      ...(keywords.length === 0 ? {} : { keywords }),
      ...(paths.length === 0 ? {} : { json_paths: paths }),
      timeout_ms,
    },
    ...(client_certificate === undefined ? {} : { client_certificate }),
  };
}

const authorizationIn = ({ auth }: HttpConfig) => (auth === undefined ? null : authorizationOf(auth));

function textsIn(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap(({ type, value }) => (type === 'body_contains' ? String(value) : []));
}

function pathsIn(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap(({ type, path }) => (type === 'json_path' && path !== undefined ? path : []));
}

/** Errors in the settings of a request, by their dotted path; empty when there are none. */
export function checkHttpConfig(config: HttpConfig, lookFor: LookFor = {}): FieldErrors {
  const { auth, client_certificate: certificate, expected_status: expected, assertions } = config;
  const { keywords = [], jsonPaths = [] } = lookFor;
  const reserved = { body_contains: keywords.length, json_path: jsonPaths.length };
  return {
    ...checkHeaders(config),
    ...(auth === undefined ? {} : checkCredentials(auth)),
    ...(certificate === undefined ? {} : checkClientCertificate(certificate)),
    ...(expected === undefined ? {} : checkExpectedStatus(expected)),
    ...checkAssertions(assertions, { types: assertionTypes, reserved }),
    ...checkMethod(config, keywords.length + jsonPaths.length > 0),
  };
}

function checkHeaders({ headers, auth, resolver }: HttpConfig): FieldErrors {
  const own = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization');
  const errors: FieldErrors = {
    ...errorsOf(() => checkRequestHeaders(headers)),
    ...errorsOf(() => resolver !== undefined && parseHost(resolver, 'params.resolver')),
  };
  if (auth !== undefined && own !== undefined)
    errors['auth'] = [{ code: 'conflict', message: `the header ${own} is also set` }];
  return errors;
}

/** A probe reports `params`, people wrote `config`. */
function errorsOf(check: () => unknown): FieldErrors {
  try {
    check();
    return {};
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { code, message } = error;
    return { [error.field.replace(/^params\./, '')]: [{ code, message }] };
  }
}

/** Assertions about a body. */
const bodyAssertions: ReadonlySet<AssertionType> = new Set(['body_contains', 'body_regex', 'json_path']);

function checkMethod({ method, assertions }: HttpConfig, readsBody: boolean): FieldErrors {
  if (method !== 'HEAD' || !(readsBody || assertions.some(({ type }) => bodyAssertions.has(type)))) return {};
  return { method: [{ code: 'conflict', message: 'the response to HEAD has no body' }] };
}

/** `expected_status` as an array of texts; absent where assertions decide of the status. */
export function normaliseHttpConfig<C extends HttpConfig>(config: C): C {
  const expected = expectedStatusIn(config);
  return expected === null ? config : { ...config, expected_status: statusTexts(expected) };
}

/** Expected status of a request; null for any. */
function expectedStatusIn({ expected_status: expected, assertions }: HttpConfig) {
  if (expected !== undefined) return expected;
  return assertions.some(({ type }) => type === 'status_code') ? null : '2xx';
}

/** Facts of an HTTP response for assertions. */
export function httpFacts(result: ProbeResults['http'], config: HttpConfig, nowMs: number): Facts {
  return {
    statusCode: result.status_code,
    responseMs: result.response_ms,
    headers: result.headers,
    areHeadersTruncated: result.headers_truncated === true,
    body: result.body ?? null,
    isBodyTruncated: result.body_truncated,
    keywords: result.keywords ?? [],
    jsonPaths: result.json_paths ?? [],
    ...remainingOf(result.tls, nowMs),
    secrets: secretTexts(config, authorizationIn(config)),
  };
}

/** Details of an HTTP response that are reported with a check; excludes headers, body and redirect targets. */
export function httpDetails(result: ProbeResults['http'], config: HttpConfig): CheckDetails {
  const { timing, resolved_ip, ip_version, http_version, response_size, redirects, tls } = result;
  return {
    timing,
    resolved_ip,
    ip_version,
    http_version,
    redirects: redirects.length,
    response_size,
    tls: tls === null ? null : tlsDetails(tls, secretTexts(config, authorizationIn(config))),
  };
}

/** OpenSSL's reason repeats names that a server put into its certificate. */
function tlsDetails(tls: NonNullable<ProbeResults['http']['tls']>, secrets: readonly string[]) {
  const { protocol, cipher, authorized, authorization_error: reason, not_after, ends_first } = tls;
  return {
    protocol,
    cipher,
    authorized,
    authorization_error: reason === null ? null : withoutSecrets(reason, secrets),
    not_after,
    ends_first,
  };
}

/** A status that is not among those expected. */
export function statusFailures({ statusCode, secrets }: Facts, config: HttpConfig): Failure[] {
  const expected = expectedStatusIn(config);
  if (expected === null || (statusCode !== null && isExpectedStatus(statusCode, expected))) return [];
  const miss = statusCode === null ? { reason: 'no response was received' } : { found: statusCode };
  const texts = statusTexts(expected).join(', ');
  return [failureOf({ subject: 'the status', severity: 'down', expected: texts }, miss, secrets)];
}
