import { answerText } from '../answer-text.js';
import type { OpenApiSchemas } from '../openapi-schemas.js';
import { admissionOf } from './callers.js';
import type { Part } from './operations.js';
import type { FuzzRequest } from './request.js';

/** A response, reduced to the parts that are checked. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly mediaType: string;
  /** Parsed JSON; for a stream the data of each event; else the text. */
  readonly body: Part;
}

/** Longest duration of an operation: a long poll waits 30 s. */
const DEADLINE_MS = 45_000;

/** Sends a request and reads the whole response. */
export async function exchange(
  url: string,
  { operation: { method }, target, headers, body }: FuzzRequest,
): Promise<FuzzAnswer> {
  const { response, text } = await send(url, { method, target, headers, body });
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  return { status: response.status, headers: response.headers, mediaType, body: read(text, mediaType) };
}

/** Like `exchange`, for any request; the response is not read. */
export async function send(
  url: string,
  { method, target, headers, body }: Pick<FuzzRequest, 'target' | 'headers' | 'body'> & { readonly method: string },
): Promise<{ response: Response; text: string }> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(new URL(target, url), { method, headers, ...(body === null ? {} : { body }), signal });
  return { response, text: await answerText(response) };
}

function read(text: string, mediaType: string): Part {
  if (mediaType === 'application/json') return JSON.parse(text);
  if (mediaType !== 'text/event-stream') return text;
  return text
    .split('\n\n')
    .map((frame) => /^data: (.*)$/m.exec(frame)?.[1])
    .filter((data) => data !== undefined)
    .map((data) => JSON.parse(data));
}

/** Everything about a response that the document does not allow for its request. */
export function judgeAnswer(request: FuzzRequest, answer: FuzzAnswer, schemas: OpenApiSchemas): string[] {
  return [
    ...judgeFailure(request, answer),
    ...judgeAdmission(request, answer),
    ...judgeBody(request, answer, schemas),
    ...judgeHeaders(answer),
  ];
}

/**
 * True if the control plane may fail for these reasons: the request is about nodes, and one of them is not connected; or no node
 * at all is, after what other requests did to them.
 */
function judgeFailure({ operation, body }: FuzzRequest, { status, body: answer }: FuzzAnswer): string[] {
  if (status < 500) return [];
  const isAboutNodes = /"node_ids?"/.test(body ?? '') || ['upgradeNode', 'testMonitor'].includes(operation.operationId);
  const isExcused = status === 503 && answer.error?.code === 'NODE_OFFLINE' && isAboutNodes;
  const isWithoutNodes =
    status === 503 && answer.error?.code === 'UNAVAILABLE' && 'nodes' in (answer.error.details ?? {});
  return isExcused || isWithoutNodes ? [] : [`failed with ${status}`];
}

function judgeAdmission({ operation, caller, body, isBroken }: FuzzRequest, { status }: FuzzAnswer): string[] {
  // the size of a body is checked before the caller
  if (status === 413 && Buffer.byteLength(body ?? '') > 32_768) return [];
  const admission = admissionOf(caller.kind, operation);
  if (admission !== 'admitted')
    return status === admission ? [] : [`answered ${status} to ${caller.kind}, not ${admission}`];
  return isBroken && (status < 400 || status > 499) ? [`accepted what its schema refuses (${status})`] : [];
}

function judgeBody(
  { operation }: FuzzRequest,
  { status, mediaType, body }: FuzzAnswer,
  schemas: OpenApiSchemas,
): string[] {
  const contents = operation.responses.get(status);
  if (contents === undefined) return [`answered ${status}, which is not declared`];
  if (contents.size === 0) return body === '' ? [] : [`has a body with status ${status}`];
  const place = contents.get(mediaType);
  if (place === undefined) return [`answered ${status} as "${mediaType}", which is not declared`];
  const values = mediaType === 'text/event-stream' ? body : [body];
  const complaints = values.map((value: unknown) => schemas.complaintAbout(value, place));
  return complaints.filter((complaint: string | null) => complaint !== null);
}

function judgeHeaders({ status, headers, body }: FuzzAnswer): string[] {
  // a repeated response to an earlier request has that request's id and language
  const isReplayed = headers.get('idempotent-replayed') === 'true';
  const needed = [
    'x-request-id',
    // except for routes that imitate another service
    ...(status >= 400 && body?.error !== undefined ? ['content-language', ...(isReplayed ? [] : ['vary'])] : []),
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(status === 429 || status === 503 ? ['retry-after'] : []),
    ...(status === 429 ? ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] : []),
  ];
  const missing = needed.filter((name) => headers.get(name) === null).map((name) => `${status} without "${name}"`);
  const named = typeof body === 'object' ? body?.request_id : undefined;
  const isNamed = named === undefined || isReplayed || named === headers.get('x-request-id');
  return isNamed ? missing : [...missing, 'names another request'];
}
