/** Code of the field error that a target or a parameter gets. */
export type TargetErrorCode = 'format' | 'required' | 'conflict' | 'refused';

/**
 * A target, or another parameter, that no probe may use. `refused` is one that the policy forbids (422
 * PROBE_TARGET_INVALID, `target_not_allowed` in a node result); with any other code it is malformed (400
 * VALIDATION_FAILED): no host, URL, port or header at all, one that is missing, or one that contradicts another.
 */
export class TargetError extends Error {
  override readonly name = 'TargetError';

  constructor(
    readonly code: TargetErrorCode,
    /** Dotted path in the request: `target`, `params.server`, `params.headers.Host`. */
    readonly field: string,
    message: string,
  ) {
    super(message);
  }

  get kind(): 'malformed' | 'refused' {
    return this.code === 'refused' ? 'refused' : 'malformed';
  }
}

/** A value as messages show it: quoted, control characters escaped, cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** The error for what is no host, URL, port or header at all. */
export function malformed(field: string, message: string): TargetError {
  return new TargetError('format', field, message);
}

/** The error for what must be given and is not. */
export function missing(field: string, message: string): TargetError {
  return new TargetError('required', field, message);
}

/** The error for what contradicts the target or another parameter. */
export function contradictory(field: string, message: string): TargetError {
  return new TargetError('conflict', field, message);
}

/** The error for what the policy forbids. */
export function refused(field: string, message: string): TargetError {
  return new TargetError('refused', field, message);
}
