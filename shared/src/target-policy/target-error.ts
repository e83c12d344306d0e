/**
 * A target, or a parameter beside it, that no probe may use. `malformed` is no host, URL, port or header at all (400
 * VALIDATION_FAILED); `refused` is one that the policy forbids (422 PROBE_TARGET_INVALID, `target_not_allowed` in a
 * node result).
 */
export class TargetError extends Error {
  override readonly name = 'TargetError';

  constructor(
    readonly kind: 'malformed' | 'refused',
    /** Dotted path in the request: `target`, `params.server`, `params.headers.Host`. */
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** A value as messages show it: quoted, control characters escaped, cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** The error for what is no host, URL, port or header at all. */
export function malformed(field: string, message: string): TargetError {
  return new TargetError('malformed', field, message);
}

/** The error for what the policy forbids. */
export function refused(field: string, message: string): TargetError {
  return new TargetError('refused', field, message);
}
