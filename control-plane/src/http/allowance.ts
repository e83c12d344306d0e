/** Remainder of a limit after a request was counted against it, or refused. */
export interface Allowance {
  readonly limit: number;
  /** Left in this window. */
  readonly remaining: number;
  /** End of the window, milliseconds since the epoch, on a whole second. */
  readonly resetsAt: number;
  readonly isAllowed: boolean;
  /** Length of the window in seconds; absent: the limit has no windows of one length. */
  readonly windowSeconds?: number;
}
