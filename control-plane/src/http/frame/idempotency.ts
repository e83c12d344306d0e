import { createHash } from 'node:crypto';
import type { ResponseBody } from '../body-pieces.js';
import type { Compress } from '../compression.js';
import { ApiError } from '../errors.js';
import type { ReplyHeaders } from '../route.js';

/** Response as it is sent, and stored for repeated requests. */
export interface Rendered {
  readonly status: number;
  readonly contentType: string;
  readonly body: ResponseBody;
  readonly headers?: ReplyHeaders;
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[];
  /** Compression of the body; default: compressed each time. */
  readonly compress?: Compress;
}

/** Request that is to be executed once. */
export interface IdempotentRequest {
  /** Caller the key belongs to: an account, or an address if the request has no credentials. */
  readonly caller: string;
  readonly operationId: string;
  /** The caller's own name for the request. */
  readonly key: string;
  /** SHA-256 of everything that identifies the request. */
  readonly fingerprint: Buffer;
}

/** Outcome of claiming a key: the first request with a key owns it; any later one gets the response to the first. */
export type IdempotencyClaim =
  | { readonly kind: 'replay'; readonly response: Rendered }
  | {
      readonly kind: 'first';
      /** Stores the response for a day. */
      store(response: Rendered): Promise<void>;
      /** Forgets the request: it was not executed, or may be executed again. */
      release(): Promise<void>;
    };

/** Stores responses to requests with an Idempotency-Key, for all replicas together. */
export interface IdempotencyKeys {
  /** @throws ApiError CONFLICT when the key was used for another request, or the first one still runs */
  claim(request: IdempotentRequest): Promise<IdempotencyClaim>;
}

const HEADER = 'idempotency-key';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Idempotency-Key of the caller, or null.
 * @throws ApiError VALIDATION_FAILED for anything but 1 to 255 visible ASCII characters
 */
export function idempotencyKeyOf(header: string | null): string | null {
  if (header === null || VISIBLE_ASCII.test(header)) return header;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new ApiError('VALIDATION_FAILED', { details: { [HEADER]: [{ code: 'format', message }] } });
}

/**
 * Hash of everything that two requests must have in common to be the same: method, target, body bytes and the caller's
 * scopes. A key with fewer scopes never gets the response that one with more scopes got.
 */
export function fingerprintOf(
  { method, target, scopes }: { readonly method: string; readonly target: string; readonly scopes: Iterable<string> },
  body: Buffer | null,
): Buffer {
  const head = `${method} ${target}\n${[...scopes].toSorted().join(' ')}\n`;
  return createHash('sha256')
    .update(head)
    .update(body ?? '')
    .digest();
}

/**
 * True if a response is stored for repetition. Failures of the server, and requests that were too early, may succeed
 * when they are sent again. A malformed request may be corrected under the same key, wherever the error was found.
 */
export function isKept(status: number): boolean {
  return status < 500 && status !== 400 && status !== 408 && status !== 429;
}
