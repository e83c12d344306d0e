import { definitionOf, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from '../frame/json.js';
import { locales } from '../locale.js';

/** Introduction to the API that precedes the operations, in CommonMark. */
export function overview(publicUrl: string): string {
  const types = probeTypeNames.map((type) => definitionOf(type).title).join(', ');
  const languages = locales.map((locale) => `\`${locale}\``).join(', ');
  return `Measures the network from many places at once: small agents run probes (${types}),
and Vantage combines their results.

New here? [Getting started with curl](${publicUrl}/docs/guide) leads from registration to the first probe, and to the
errors a caller may meet.

## Responses

A successful response is \`{data, request_id, meta}\`, an error
\`{error: {code, message, request_id, details?, doc_url}, request_id}\`. Branch on \`error.code\`, which is stable; messages,
those of \`details\` too, are for people, in the language of \`Accept-Language\`. Every response has an \`X-Request-Id\`: quote it when you report a problem, or send your own. Large responses are
compressed for callers that accept \`br\` or \`gzip\`. Pages of other origins may read everything that requires no credentials, except reputations, which are taken from an allowance of the visitor.

## Requests

Bodies are JSON (\`application/json\`) of at most 32 KiB, nested at most ${MAX_JSON_DEPTH} deep, with at most ${MAX_JSON_KEYS}
keys; operations that accept a file say so. A number beyond 2^53 that would be rounded is refused: send it as a string
where a field accepts one. Unknown fields of a body are refused, unknown query parameters are ignored. All
errors in the form of a request are reported at once, in \`error.details\` by field; the rules of the service are
checked afterwards. A path that does not exist gets 404 \`NOT_FOUND\`, a method that the path does not support gets 405 with
\`Allow\`.

## Credentials

Send \`Authorization: Bearer …\` with an access token (a JWT that is valid for 15 minutes), a personal access token
(\`svc_pat_…\`) or an API key (\`sk_live_…\`, \`sk_test_…\`). Each operation states which of them it accepts and which scope they
must have. Invalid credentials are refused even if the operation requires none.

## Languages

Messages are available in ${languages}; \`Accept-Language\` selects one. \`zh-HK\` and \`zh-Hant\` get
\`zh-TW\`. \`Content-Language\` names the language of the response.

## Limits

Responses of operations with a limit have \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. A 429
response has \`X-RateLimit-Window\`, the length of the window in seconds, where the limit has one. A 429 or 503 response has \`Retry-After\`, the number of seconds to wait.

## Idempotency

A POST with an \`Idempotency-Key\` is executed once. If a caller with the same scopes sends the same request, byte for byte,
again within 24 hours, it gets the first response, with the request id of that response, marked
\`Idempotent-Replayed: true\`. Refusals are repeated too, except 400, 408 and 429. The same key with a different request, or
while the first request still runs, gets 409 \`CONFLICT\`. A request that failed with 5xx, 429 or 408 may be sent again.

## Lists

Lists begin with the newest item. They are read with \`page\` and \`page_size\` (or \`limit\`), or with an opaque \`cursor\` if
a list can grow without limit; \`meta.pagination\` says whether more items follow. Lists that rarely change have an \`ETag\`.`;
}
