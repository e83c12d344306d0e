/** A measurement that an agent is asked for. */
export interface Job {
  readonly id: string;
  readonly url: string;
}

/** Result of a job; null if the request failed. */
export interface JobResult {
  readonly id: string;
  readonly status: number | null;
  readonly bodyBytes: number;
  readonly tookMs: number;
}

/** A result with its position in the spool of its agent. */
export interface SentResult extends JobResult {
  readonly position: number;
}

/** Frame from the control plane. */
export type ToAgent = { readonly jobs: readonly Job[] } | { readonly acknowledged: number };
