/** The state directory cannot be used: not ours, open to others, not a directory. The message says what to do. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

/** The state directory is in use by another agent or an enrollment. */
export class StateDirectoryInUseError extends Error {
  override readonly name = 'StateDirectoryInUseError';

  constructor(readonly stateDir: string) {
    super(`another vantage-agent is using "${stateDir}"`);
  }
}

/** A file of the state directory is damaged, or is open to other users. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

/** The state directory holds no identity. */
export class NotEnrolledError extends Error {
  override readonly name = 'NotEnrolledError';

  constructor(stateDir: string) {
    super(`no identity in "${stateDir}": run \`vantage-agent enroll\` first`);
  }
}

/** The state directory holds an identity already. */
export class AlreadyEnrolledError extends Error {
  override readonly name = 'AlreadyEnrolledError';

  constructor(
    { nodeId, controlUrls }: { readonly nodeId: string; readonly controlUrls: readonly string[] },
    stateDir: string,
  ) {
    super(
      `already enrolled as ${nodeId} at ${controlUrls[0]}: to start over, stop the agent and remove "${stateDir}"; ` +
        'undelivered results are lost, and the node needs a new token',
    );
  }
}

/** Input of the operator that cannot work: a mistyped token, or a URL that is invalid, unsafe or of the wrong scheme. */
export class EnrollmentInputError extends Error {
  override readonly name = 'EnrollmentInputError';
  readonly isRetryable = false;
}

/** The control plane refused; the message says what to do about it. `code` is one of its error codes. */
export class EnrollmentRefusedError extends Error {
  override readonly name = 'EnrollmentRefusedError';
  readonly isRetryable = false;

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** No usable response: network, overload, a failing server. The token has not been used up. */
export class EnrollmentUnansweredError extends Error {
  override readonly name = 'EnrollmentUnansweredError';
  readonly isRetryable = true;

  constructor(
    message: string,
    /** Delay that the server requests, in milliseconds; null if it requests none. */
    readonly retryAfterMs: number | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
