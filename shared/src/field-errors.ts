/** Kinds of error of one field; a closed list, part of the public API. */
export const fieldErrorCodes = [
  'required',
  'unknown',
  'type',
  'format',
  'range',
  'length',
  'enum',
  'conflict',
  'not_found',
  'not_supported',
  'refused',
] as const;

export interface FieldError {
  readonly code: (typeof fieldErrorCodes)[number];
  readonly message: string;
}

/** Dotted field path -> everything wrong with that field. */
export type FieldErrors = Record<string, FieldError[]>;
