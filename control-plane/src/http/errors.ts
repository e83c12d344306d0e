import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Allowance } from './allowance.js';
import { type ErrorCode, errorTable } from './error-table.js';
import type { Locale } from './locale.js';

/** Optional parts of an API error, in addition to its code. */
export interface ApiErrorOptions {
  /** Problems by dotted field path; shown to the caller. */
  readonly details?: FieldErrors;
  /** One of the statuses the table gives the code; default: the first. */
  readonly status?: number;
  /** Seconds for Retry-After; default for a 503: 5. */
  readonly retryAfterSeconds?: number;
  /** Limit that was reached: every 429 has one, and shows it in its headers. */
  readonly allowance?: Allowance;
  /** Further response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the operator has not set up what the request needs, so that waiting does not help; default: false. */
  readonly isNotConfigured?: boolean;
  /** Facts that a program needs to continue, as `error.meta` (API specification 7): a challenge to answer, the factors to answer it with. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Cause for the log, never shown. */
  readonly cause?: unknown;
}

/**
 * Response that is an error of the API (API specification 7). The frame turns it into the error envelope, with the
 * message of the code in the caller's language.
 * @throws RangeError if the table does not give the code this status
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allowance: Allowance | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly isNotConfigured: boolean;

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
    this.meta = options.meta;
    this.isNotConfigured = options.isNotConfigured ?? false;
  }
}

const notConfiguredMessages: Readonly<Record<Locale, string>> = {
  en: 'The operator of this installation has not set this up.',
  'zh-CN': '此安装的运营者尚未配置此功能。',
  'zh-TW': '此安裝的營運者尚未設定此功能。',
};

/** Message of an error for people: that of its code, unless the operator has to set something up first. */
export function messageOf({ code, isNotConfigured }: ApiError, locale: Locale): string {
  return (isNotConfigured ? notConfiguredMessages : errorTable[code].messages)[locale];
}

/** Time after which a client may try again what has to be set up first: hardly anyone sets it up sooner. */
const SETUP_RETRY_SECONDS = 3_600;

/** 503 of something that the operator has not set up; `message` says what is missing and names the setting. */
export function notConfigured(message: string, path = 'configuration'): ApiError {
  const details = { [path]: [{ code: 'not_found' as const, message }] };
  return new ApiError('UNAVAILABLE', { details, isNotConfigured: true, retryAfterSeconds: SETUP_RETRY_SECONDS });
}

/** 400 that names one field and its problem. */
export function fieldError(path: string, code: FieldErrors[string][number]['code'], message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { details: { [path]: [{ code, message }] } });
}

/** 422 that names one well-formed field which a rule of the service refuses. */
export function businessError(path: string, code: FieldErrors[string][number]['code'], message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { [path]: [{ code, message }] } });
}

/** 429 of a limit with nothing left; Retry-After is the time until it has units again. */
export function limitReached(code: ErrorCode, allowance: Allowance, details?: FieldErrors): ApiError {
  return new ApiError(code, { allowance, ...(details === undefined ? {} : { details }) });
}

const DAY_SECONDS = 86_400;

/**
 * 429 of a cap on the number of rows, which waiting does not lift: Retry-After is one day, for fewer rows or a larger
 * plan.
 */
export function capReached(code: ErrorCode, limit: number, nowMs: number, details?: FieldErrors): ApiError {
  const resetsAt = (Math.floor(nowMs / 1_000) + DAY_SECONDS) * 1_000;
  return new ApiError(code, {
    allowance: { limit, remaining: 0, resetsAt, isAllowed: false },
    retryAfterSeconds: DAY_SECONDS,
    ...(details === undefined ? {} : { details }),
  });
}
