import { definitionOf, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from './json.js';
import { locales } from './locale.js';

/** What a reader of the document should know before the first operation, in CommonMark. */
export function overview(publicUrl: string): string {
  const types = probeTypeNames.map((type) => definitionOf(type).title).join(', ');
  const languages = locales.map((locale) => `\`${locale}\``).join(', ');
  return `Measures the network from many places at once: probes (${types}) run
on small agents and their results are brought together.

New here? [Getting started with curl](${publicUrl}/docs/guide) goes from registering to the first probe, and to being
refused.

## Answers

A success is \`{data, request_id, meta}\`, an error
\`{error: {code, message, request_id, details?, doc_url}, request_id}\`. Branch on \`error.code\`, which is stable; messages are
for people. Every answer has an \`X-Request-Id\`: quote it when you report something, or send your own. Large answers are
compressed for those who accept \`br\` or \`gzip\`. Pages of other origins may read whatever needs no credentials.

## Requests

Bodies are JSON (\`application/json\`) of at most 32 KiB, nested at most ${MAX_JSON_DEPTH} deep, with at most ${MAX_JSON_KEYS}
keys; operations that take a file say so. Unknown fields of a body are refused, unknown query parameters ignored. All complaints about the form of a request
come at once, in \`error.details\` by field, in English; rules of the service are judged after it. A path that is not there is 404 \`NOT_FOUND\`, a method it does not have 405 with
\`Allow\`.

## Credentials

\`Authorization: Bearer …\` with an access token (a JWT of 15 minutes), a personal access token (\`svc_pat_…\`) or an API
key (\`sk_live_…\`, \`sk_test_…\`). Each operation says which of them fit and what scope they need. Where none are needed,
wrong ones are refused all the same.

## Languages

Messages come in ${languages}, whichever \`Accept-Language\` prefers; \`zh-HK\` and \`zh-Hant\` read
\`zh-TW\`. \`Content-Language\` says which it was.

## Limits

Answers of operations with a limit carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 and
a 503 say in \`Retry-After\` how many seconds to wait.

## Repeating

A POST with an \`Idempotency-Key\` happens once: the same request, byte for byte, sent again within 24 hours by a
caller with the same scopes gets the first answer, with the request id it had then, marked \`Idempotent-Replayed: true\`. Refusals
are repeated too, but for 400, 408 and 429. The key with another request, or while the first still runs, is 409 \`CONFLICT\`. What failed
with 5xx, 429 or 408 may be sent again.

## Lists

Newest first. \`page\` and \`page_size\` (or \`limit\`), or an opaque \`cursor\` where a list can grow without end;
\`meta.pagination\` says whether there is more. Lists that seldom change have an \`ETag\`.`;
}
