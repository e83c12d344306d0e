import type { FieldErrors } from '@vantage/shared/validation.js';
import { type ErrorCode, errorTable } from './error-table.js';
import type { Allowance } from './rate-limit.js';

/** What may accompany a code. */
export interface ApiErrorOptions {
  /** Dotted field path -> what is wrong with it; shown to the caller. */
  readonly details?: FieldErrors;
  /** One of the statuses the table gives the code; default: the first. */
  readonly status?: number;
  /** Seconds for Retry-After; a 503 without it says 5. */
  readonly retryAfterSeconds?: number;
  /** The limit that was reached: every 429 has one, and shows it in its headers. */
  readonly allowance?: Allowance;
  /** Further response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log, never shown. */
  readonly cause?: unknown;
}

/**
 * An answer that is an error of the API (API specification 7). The frame turns it into the error envelope, with the
 * message of the code in the caller's language. @throws RangeError for a status the table does not give the code
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allowance: Allowance | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(code, { cause: options.cause });
    const { statuses } = errorTable[code];
    const status = options.status ?? statuses[0];
    if (!statuses.includes(status)) throw new RangeError(`error code "${code}" has no status ${status}`);
    this.code = code;
    this.status = status;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (status === 503 ? 5 : undefined);
    this.allowance = options.allowance;
    this.headers = options.headers ?? {};
  }
}

/** A 400 that names one field and what is wrong with it. */
export function fieldError(path: string, code: FieldErrors[string][number]['code'], message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { details: { [path]: [{ code, message }] } });
}

/** The 429 of a limit that has nothing left; Retry-After says when it has again. */
export function limitReached(code: ErrorCode, allowance: Allowance, details?: FieldErrors): ApiError {
  return new ApiError(code, { allowance, ...(details === undefined ? {} : { details }) });
}

const DAY_SECONDS = 86_400;

/** The 429 of a cap on how many there may be, which waiting does not lift: try again tomorrow, with fewer or a larger plan. */
export function capReached(code: ErrorCode, limit: number, nowMs: number, details?: FieldErrors): ApiError {
  const resetsAt = (Math.floor(nowMs / 1_000) + DAY_SECONDS) * 1_000;
  return new ApiError(code, {
    allowance: { limit, remaining: 0, resetsAt, isAllowed: false },
    retryAfterSeconds: DAY_SECONDS,
    ...(details === undefined ? {} : { details }),
  });
}
