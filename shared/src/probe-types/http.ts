import { type Static, Type } from 'typebox';
import { JsonPathError, parseJsonPath } from '../json-path/parse.js';
import { nullable } from '../nullable.js';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { checkRequestHeaders } from '../target-policy/headers.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { malformed } from '../target-policy/target-error.js';
import { parseHttpUrl } from '../target-policy/url.js';
import { dnsCell, msCell, textCell } from './cells.js';
import { ClientCertificateSchema } from './client-certificate.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  milliseconds,
  nullableMilliseconds,
  nullableString,
  outcomeFields,
  resolvedIpField,
  targetField,
  timeoutParam,
} from './fields.js';
import { httpLines } from './http-lines.js';
import { isWithin } from './is-within.js';
import { meanOf, percentileOf, roundMs } from './statistics.js';
import { TlsSchema } from './tls-report.js';

/** Methods an HTTP probe may use (API specification 2.7); TRACE and CONNECT are refused. */
export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const;

const Params = Type.Object(
  {
    method: Type.Enum([...httpMethods], { type: 'string', default: 'GET', description: 'Request method.' }),
    headers: Type.Record(
      Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$", example: 'Accept-Language' }),
      Type.String({ maxLength: 4096 }),
      {
        default: {},
        maxProperties: 32,
        additionalProperties: false,
        description: 'Request headers. Host, framing and hop-by-hop headers may not be set.',
      },
    ),
    body: Type.Optional(Type.String({ maxLength: 32768, description: 'Request body, at most 32768 characters.' })),
    follow_redirects: Type.Boolean({ default: true, description: 'Follow redirects, each hop checked again.' }),
    max_redirects: Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 5,
      description: 'Greatest number of redirects to follow.',
    }),
    ip_version: ipVersionParam,
    http_version: Type.Enum(['auto', '1.1', '2'], {
      type: 'string',
      default: 'auto',
      description:
        'Protocol version; auto offers HTTP/2 and HTTP/1.1 over TLS, like browsers, and uses HTTP/1.1 without TLS. 2 fails if the server does not support HTTP/2.',
    }),
    resolver: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'DNS server to resolve with; default: the node’s own.',
      }),
    ),
    verify_tls: Type.Boolean({
      default: false,
      description: 'Fail the probe if the certificate is invalid; it is recorded in any case.',
    }),
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 10,
        description: 'Texts to count in the first MiB of the body; the outcome of the probe does not depend on them.',
      }),
    ),
    json_paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 10,
        description:
          'JSONPaths (RFC 9535, without functions) to evaluate in a JSON body of at most 256 KiB and 10 000 values; the outcome of the probe does not depend on them.',
      }),
    ),
    timeout_ms: timeoutParam(1000, 30000, 10000, 'Deadline of the whole probe, in milliseconds.'),
  },
  { additionalProperties: false },
);

// separate from `params`, which any user may set and read: only monitors, which seal it, have one
const Spec = Type.Object(
  {
    target: targetField('An http or https URL.', 2048),
    params: Params,
    client_certificate: Type.Optional(ClientCertificateSchema),
    // only the analysis of headers sets it: results of other probes stay small
    keeps_header_lines: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false },
);

const Timing = Type.Object(
  {
    dns_ms: nullableMilliseconds(
      'Name resolution; 0 for a literal address, and for a name that was already resolved before a redirect.',
    ),
    tcp_ms: nullableMilliseconds('TCP connect.'),
    tls_ms: nullableMilliseconds('TLS handshake; null without TLS.'),
    ttfb_ms: nullableMilliseconds('Request sent to first byte of the response.'),
    download_ms: nullableMilliseconds('First byte to last byte.'),
  },
  { additionalProperties: false, description: 'Phases of the final hop; includes those measured before a failure.' },
);

const unknownWhy = nullableString('Reason why the count is unknown; null if it is known.');
const nullableCount = (description: string) => nullable(Type.Integer({ minimum: 0 }), description);

const KeywordFinding = Type.Object(
  {
    keyword: Type.String(),
    count: nullableCount('Number of case-sensitive occurrences in the body; null if unknown.'),
    count_any_case: nullableCount('Number of case-insensitive occurrences; null if unknown.'),
    error: unknownWhy,
  },
  { additionalProperties: false },
);

const JsonFinding = Type.Object(
  {
    path: Type.String(),
    count: nullableCount('Number of selected values; null if unknown.'),
    values: Type.Array(Type.Unknown(), {
      maxItems: 10,
      description:
        'The first values, at most 10 and at most 2 KiB of JSON, none truncated. A number that a double would round, such as 18014398509481985, is a string with all of its digits.',
    }),
    truncated: Type.Boolean({ description: 'True if more values were selected.' }),
    error: unknownWhy,
  },
  { additionalProperties: false },
);

/** Characters of the values of one path together, and levels of them with the list around: an agent keeps 2 KiB and 16 levels. */
const [MAX_VALUES_LENGTH, MAX_VALUES_DEPTH] = [2048, 17];

/** One header line of a response, its name in lower case; cookies without their values. */
const HeaderLine = Type.Object({ name: Type.String(), value: Type.String() }, { additionalProperties: false });
export type HeaderLine = Static<typeof HeaderLine>;

/** Header lines, and names of headers, in a result at most. */
export const MAX_KEPT_HEADER_LINES = 512;

const Result = Type.Object(
  {
    ...outcomeFields,
    status_code: Type.Union([Type.Integer(), Type.Null()]),
    response_ms: nullableMilliseconds('Duration of the whole probe including redirects, start to last byte.'),
    response_size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Body bytes read, before decompression.',
    }),
    final_url: nullableString('URL of the response, after redirects.'),
    headers: Type.Record(Type.String(), Type.String(), {
      maxProperties: MAX_KEPT_HEADER_LINES,
      description:
        'Response headers, names in lower case; several lines of a list are joined by comma and space, of other headers the first one counts.',
    }),
    headers_truncated: Type.Optional(
      Type.Boolean({
        description: 'True if headers were left out of the result because they are too long or too many.',
      }),
    ),
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    http_version: nullableString('1.0, 1.1 or 2.'),
    redirects: Type.Array(
      Type.Object(
        { url: Type.String(), status_code: Type.Integer(), ms: milliseconds('Duration of this hop only.') },
        { additionalProperties: false },
      ),
      { maxItems: 5 },
    ),
    body: Type.Optional(Type.String({ description: 'Decoded text of the body, at most 64 KiB.' })),
    body_truncated: Type.Boolean(),
    keywords: Type.Optional(
      Type.Array(KeywordFinding, { maxItems: 10, description: 'Occurrences of `params.keywords`, in their order.' }),
    ),
    json_paths: Type.Optional(
      Type.Array(JsonFinding, { maxItems: 10, description: 'Values that `params.json_paths` select, in their order.' }),
    ),
    header_lines: Type.Optional(
      Type.Array(HeaderLine, {
        maxItems: MAX_KEPT_HEADER_LINES,
        description:
          'Header lines in their order, instead of `headers`; only for the analysis of headers. Cookies have no values.',
      }),
    ),
    aliases: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 16,
        description: 'Names to which the name of the last host is an alias (CNAME); only with `header_lines`.',
      }),
    ),
    last_url: Type.Optional(
      Type.String({ description: 'URL of the last request, with or without a response; only with `header_lines`.' }),
    ),
    timing: Timing,
    tls: Type.Union([TlsSchema, Type.Null()]),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    avg_response_ms: nullableMilliseconds('Mean over successful nodes.'),
    p95_response_ms: nullableMilliseconds('95th percentile over successful nodes.'),
  },
  { additionalProperties: false },
);

type HttpSpec = Static<typeof Spec>;

function targetHost(spec: HttpSpec): Host {
  return parseHttpUrl(spec.target).host;
}

function furtherHosts({ params: { resolver } }: HttpSpec): Host[] {
  return resolver === undefined ? [] : [parseHost(resolver, 'params.resolver')];
}

function checkTarget(spec: HttpSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
  checkRequestHeaders(spec.params.headers);
  checkJsonPaths(spec.params.json_paths ?? []);
  for (const resolver of furtherHosts(spec)) policy.checkHost(resolver, 'params.resolver');
}

function checkJsonPaths(paths: readonly string[]): void {
  for (const [i, path] of paths.entries()) {
    try {
      parseJsonPath(path);
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      throw malformed(`params.json_paths.${i}`, error.message);
    }
  }
}

/** HTTP(S) request over a fresh connection, phases timed at the socket. */
export const http = {
  type: 'http',
  title: 'HTTP',
  summary: 'One HTTP or HTTPS request over a new connection, with the time of every phase',
  capability: null,
  Params,
  formParams: ['method', 'follow_redirects', 'ip_version'],
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  exceedsLimits: ({ json_paths: found = [] }: Static<typeof Result>) =>
    found.some(({ values }) => !isWithin(values, MAX_VALUES_LENGTH, MAX_VALUES_DEPTH)),
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'https://example.com/',
  deadlineMs: (spec: HttpSpec) => spec.params.timeout_ms,
  targetWeight: () => 1,
  blank: () => ({
    status_code: null,
    response_ms: null,
    response_size: null,
    final_url: null,
    headers: {},
    resolved_ip: null,
    ip_version: null,
    http_version: null,
    redirects: [],
    body_truncated: false,
    timing: { dns_ms: null, tcp_ms: null, tls_ms: null, ttfb_ms: null, download_ms: null },
    tls: null,
  }),
  targetHost,
  furtherHosts,
  checkTarget,
  columns: [
    { title: 'Status', cell: (r: Static<typeof Result>) => textCell(r.status_code) },
    { title: 'Total', cell: (r: Static<typeof Result>) => msCell(r.response_ms) },
    { title: 'DNS', isInDetails: true, cell: (r: Static<typeof Result>) => dnsCell(r.timing.dns_ms) },
    { title: 'TCP', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.timing.tcp_ms) },
    { title: 'TLS', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.timing.tls_ms) },
    { title: 'First byte', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.timing.ttfb_ms) },
    { title: 'Download', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.timing.download_ms) },
    { title: 'Bytes', cell: (r: Static<typeof Result>) => textCell(r.response_size) },
    { title: 'Address', cell: (r: Static<typeof Result>) => textCell(r.resolved_ip) },
  ],
  details: {
    shows: ['status_code', 'final_url', 'http_version', 'response_ms', 'redirects', 'timing', 'tls'],
    lines: (r: Static<typeof Result>) => httpLines(r),
  },
  summarise: (results: readonly Static<typeof Result>[]) => {
    const times = results.filter((r) => r.success && r.response_ms !== null).map((r) => r.response_ms as number);
    return { avg_response_ms: roundMs(meanOf(times)), p95_response_ms: roundMs(percentileOf(times, 0.95)) };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
