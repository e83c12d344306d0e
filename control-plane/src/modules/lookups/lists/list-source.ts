import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '@vantage/shared/clock.js';
import { judge, type Outbound, OutboundError, type OutboundResponse } from '../../../deliver/index.js';
import type { ListDefinition } from '../reputation/list-definition.js';

/** Bytes of a list at most. */
export const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** Time for all of a download, redirects included. */
const DEADLINE_MS = 60_000;
/** Redirects that are followed; each is judged by the target policy like the first address. */
const MAX_REDIRECTS = 3;

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e]{0,512}"$/;
const httpDate = /^[A-Za-z0-9,: -]{1,64}$/;

/** Marks of the newest version that is known: a source with the same ones sends no content. */
export interface SourceMarks {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Outcome of reading a source. */
export type SourceReply =
  /** The source has the version with the marks that were given. `builtMs`: when the source said so, or the file was written. */
  | { readonly kind: 'unchanged'; readonly builtMs: number }
  | { readonly kind: 'content'; readonly content: Buffer; readonly builtMs: number; readonly marks: SourceMarks }
  /** `retryAfterMs`: delay that the server asks for, or null. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs: number | null };

interface SourceOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads the source of a list, unless it still has the version with these marks. @throws the reason of the signal */
export function readSource(list: ListDefinition, marks: SourceMarks, options: SourceOptions): Promise<SourceReply> {
  const { file, url } = list;
  return file === undefined ? download(url ?? '', marks, options) : readListOf(file, marks);
}

async function readListOf(file: string, marks: SourceMarks): Promise<SourceReply> {
  try {
    const { size, mtimeMs, ino } = await stat(file);
    const builtMs = Math.floor(mtimeMs);
    const lastModified = `${ino} ${size} ${mtimeMs}`;
    if (lastModified === marks.lastModified) return { kind: 'unchanged', builtMs };
    if (size > MAX_LIST_BYTES) return failed(`the file has ${size} bytes, at most ${MAX_LIST_BYTES} are read`);
    const content = await readFile(file);
    return { kind: 'content', content, builtMs, marks: { etag: null, lastModified } };
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    return failed(`cannot read the file (${typeof code === 'string' ? code : 'failed'})`);
  }
}

async function download(url: string, marks: SourceMarks, options: SourceOptions): Promise<SourceReply> {
  const { clock } = options;
  const endsMs = clock.monotonicMs() + DEADLINE_MS;
  let at = url;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await ask(at, marks, { ...options, deadlineMs: Math.max(1, endsMs - clock.monotonicMs()) });
      const next = redirectOf(response, at);
      if (next === null) return replyOf(response, marks, clock.now());
      at = next;
    }
    return failed(`more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return failed(error.message);
  }
}

function ask(
  url: string,
  { etag, lastModified }: SourceMarks,
  { outbound, signal, deadlineMs }: SourceOptions & { readonly deadlineMs: number },
): Promise<OutboundResponse> {
  const headers = {
    accept: '*/*',
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
  return outbound.send({
    method: 'GET',
    url,
    headers,
    deadlineMs,
    maxResponseBytes: MAX_LIST_BYTES,
    secrets: [],
    signal,
  });
}

/** Address that a response redirects to; null if it does not. */
function redirectOf({ status, headers }: OutboundResponse, from: string): string | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  const location = headers['location'];
  return typeof location === 'string' && URL.canParse(location, from) ? new URL(location, from).href : null;
}

function replyOf(response: OutboundResponse, marks: SourceMarks, nowMs: number): SourceReply {
  const { status, headers, body, isComplete } = response;
  const isConditional = marks.etag !== null || marks.lastModified !== null;
  if (status === 304 && isConditional) return { kind: 'unchanged', builtMs: nowMs };
  if (status !== 200) {
    const verdict = judge(status, headers, nowMs);
    return failed(`responded with status ${status}`, verdict.ok ? null : verdict.retryAfterMs);
  }
  if (!isComplete) return failed(`responded with more than ${MAX_LIST_BYTES} bytes`);
  // marks are sent back: one that no request may carry would end every later download
  const kept = (name: string, form: RegExp) => {
    const value = headers[name];
    return typeof value === 'string' && form.test(value) ? value : null;
  };
  return {
    kind: 'content',
    content: body,
    builtMs: nowMs,
    marks: { etag: kept('etag', entityTag), lastModified: kept('last-modified', httpDate) },
  };
}

function failed(message: string, retryAfterMs: number | null = null): SourceReply {
  return { kind: 'failed', message, retryAfterMs };
}
