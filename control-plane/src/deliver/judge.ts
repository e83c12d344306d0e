import { retryAfterMs } from '@vantage/shared/headers/retry-after.js';

/** Reason that the status of a failed delivery implies. */
export type RefusalReason =
  | 'redirected'
  | 'unauthorized'
  | 'not_found'
  | 'gone'
  | 'rate_limited'
  | 'rejected'
  | 'unavailable';

/** Result of a delivery, by the response to it. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: RefusalReason;
      /** True if the same request may succeed later. */
      readonly isRetryable: boolean;
      /**
       * Delay that the server asks for, from `nowMs` on, in milliseconds, or null. Callers set their own upper
       * bound.
       */
      readonly retryAfterMs: number | null;
    };

/** Headers of a response, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Judges a response by its status: 2xx is success; 408, 425, 429 and 5xx are worth another attempt (RFC 9110). `nowMs`: wall clock. */
export function judge(status: number, headers: ResponseHeaders, nowMs: number): Verdict {
  if (status >= 200 && status < 300) return { ok: true };
  const reason = reasonOf(status);
  const isRetryable = status === 408 || status === 425 || status === 429 || status >= 500;
  const after = headers['retry-after'];
  // given twice it says nothing
  const isAsked = isRetryable && typeof after === 'string';
  return { ok: false, reason, isRetryable, retryAfterMs: isAsked ? retryAfterMs(after, nowMs) : null };
}

function reasonOf(status: number): RefusalReason {
  if (status >= 500 || status === 408 || status === 425) return 'unavailable';
  if (status < 400) return 'redirected';
  switch (status) {
    case 401:
    case 403:
    case 407:
      return 'unauthorized';
    case 404:
      return 'not_found';
    case 410:
      return 'gone';
    case 429:
      return 'rate_limited';
    default:
      return 'rejected';
  }
}
