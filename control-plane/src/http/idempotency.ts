import { createHash } from 'node:crypto';
import type { Compress } from './compression.js';
import { ApiError } from './errors.js';
import type { ReplyHeaders } from './route.js';

/** A response as it is sent, and kept for whoever asks again. */
export interface Rendered {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: ReplyHeaders;
  /** How the body is compressed; default: anew each time. */
  readonly compress?: Compress;
}

/** A request that is to happen once. */
export interface IdempotentRequest {
  /** Whose key it is: the account, or the address of somebody without one. */
  readonly caller: string;
  readonly operationId: string;
  /** The caller's own name for the request. */
  readonly key: string;
  /** SHA-256 of everything that makes it this request. */
  readonly fingerprint: Buffer;
}

/** The first request with a key has it for itself; any later one gets what the first was answered. */
export type IdempotencyClaim =
  | { readonly kind: 'replay'; readonly response: Rendered }
  | {
      readonly kind: 'first';
      /** Keeps the answer for a day. */
      store(response: Rendered): Promise<void>;
      /** Forgets the request: it did not happen, or may happen again. */
      release(): Promise<void>;
    };

/** Remembers what requests with an Idempotency-Key were answered, for all replicas together. */
export interface IdempotencyKeys {
  /** @throws ApiError CONFLICT when the key was used for another request, or the first one still runs */
  claim(request: IdempotentRequest): Promise<IdempotencyClaim>;
}

const HEADER = 'idempotency-key';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The caller's Idempotency-Key, or null. @throws ApiError VALIDATION_FAILED for anything but 1 to 255 visible ASCII characters */
export function idempotencyKeyOf(header: string | null): string | null {
  if (header === null || VISIBLE_ASCII.test(header)) return header;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new ApiError('VALIDATION_FAILED', { details: { [HEADER]: [{ code: 'format', message }] } });
}

/**
 * What two requests must have in common to be one: method, target, the bytes of the body, and what the caller may do. A
 * narrow key of the same account never gets what a broad one was answered.
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
 * Whether an answer is kept. What the server could not do, or not yet, may succeed when asked again; and what was badly
 * put may be put right under the same key, wherever that was noticed.
 */
export function isKept(status: number): boolean {
  return status < 500 && status !== 400 && status !== 408 && status !== 429;
}
