/** Reason why an exchange brought no response. `refused`: the target policy forbids the address; nothing was sent. */
export type OutboundFailure = 'refused' | 'dns' | 'unreachable' | 'tls' | 'timeout' | 'protocol';

/**
 * Exchange without a complete response. The message names only the origin, with every secret masked; there is no
 * `cause`, since an error of a library may hold the request.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** True if the same request may succeed later. */
  readonly isRetryable: boolean;

  constructor(
    readonly reason: OutboundFailure,
    message: string,
    /** True if the server may have received the request: a connection was established. */
    readonly mayHaveArrived: boolean,
  ) {
    super(message);
    this.isRetryable = reason !== 'refused';
  }
}
