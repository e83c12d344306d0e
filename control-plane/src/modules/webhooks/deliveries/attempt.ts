/** One attempt at a delivery, as it is stored and shown. */
export interface Attempt {
  /** Start, ISO 8601. */
  readonly at: string;
  readonly duration_ms: number;
  /** Null: there was no response. */
  readonly status_code: number | null;
  /** Reason of the failure; null: it succeeded. */
  readonly error: string | null;
  /** First 4 KiB of the response's body, secrets masked; null: there was no response. */
  readonly response: string | null;
  readonly response_headers: Readonly<Record<string, string>>;
}
