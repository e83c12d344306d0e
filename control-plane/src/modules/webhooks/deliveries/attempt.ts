/** One attempt at a delivery, as it is stored and shown. */
export interface Attempt {
  /** Start, ISO 8601. */
  readonly at: string;
  readonly duration_ms: number;
  /** Null if there was no response. */
  readonly status_code: number | null;
  /** Reason of the failure; null if it succeeded. */
  readonly error: string | null;
  /** First 4 KiB of the response's body, secrets masked; null if there was no response, or it was not stored. */
  readonly response: string | null;
  readonly response_headers: Readonly<Record<string, string>>;
}

/** Bytes that the response of an attempt takes, about. */
export function responseBytes({ response, response_headers: headers }: Attempt): number {
  const texts = [response ?? '', ...Object.entries(headers).flat()];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Attempt whose response is not stored, since the account has had too many of them today. */
export function withoutBody(attempt: Attempt): Attempt {
  return { ...attempt, response: null, response_headers: {} };
}
