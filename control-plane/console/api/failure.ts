import type { ErrorCode } from '../../src/http/error-table.js';

/** Fault of a field of a request (API specification 7). */
export interface FieldFault {
  readonly code: string;
  readonly message: string;
}

/** Code of a request that got no answer. */
export const NO_ANSWER = 'NO_ANSWER';

/** An answer that refuses a request, or the lack of one. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, readonly FieldFault[]>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Seconds after which the request may be sent again; null if the answer does not say. */
  readonly retryAfter: number | null;

  constructor(fields: Partial<Omit<Failure, 'name'>> & { readonly code: string }) {
    super(fields.message ?? '');
    this.status = fields.status ?? 0;
    this.code = fields.code;
    this.requestId = fields.requestId ?? null;
    this.details = fields.details ?? {};
    this.meta = fields.meta ?? {};
    this.retryAfter = fields.retryAfter ?? null;
  }
}

/** Codes of status 401 that refuse a password or a code in the body, not the token of the request. */
const wrongProofs: readonly ErrorCode[] = ['AUTH_CREDENTIALS_INVALID', 'AUTH_2FA_INVALID'];

/** True if the API takes nobody to be signed in. */
export function isSignedOut({ status, code }: Failure): boolean {
  return status === 401 && !wrongProofs.some((wrong) => wrong === code);
}

/** Failure of a response with an error envelope, or of one that a proxy sent. */
export async function failureOf(response: Response): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null);
  const { error = {} } = (body ?? {}) as {
    error?: Partial<{ code: string; message: string; request_id: string }> & object;
  };
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new Failure({
    ...error,
    status: response.status,
    code: error.code ?? `HTTP ${response.status}`,
    message: error.message ?? response.statusText,
    requestId: error.request_id ?? response.headers.get('X-Request-Id'),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}
