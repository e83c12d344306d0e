/** The state directory cannot be used: not ours, open to others, not a directory. The message says what to do. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

/** Another agent, or an enrollment, is using the state directory. */
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
    readonly nodeId: string,
    stateDir: string,
  ) {
    super(
      `already enrolled as ${nodeId}: to start over, stop the agent and remove "${stateDir}"; ` +
        'results it has not delivered go with it, and the node needs a new token',
    );
  }
}

/** What the operator typed cannot work: a mistyped token, a URL that is none or not safe. Nothing was sent. */
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

/** No useful answer: network, overload, a failing server. The token is as good as before. */
export class EnrollmentUnansweredError extends Error {
  override readonly name = 'EnrollmentUnansweredError';
  readonly isRetryable = true;

  constructor(
    message: string,
    /** What the server asks to wait, milliseconds; null: it did not say. */
    readonly retryAfterMs: number | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
