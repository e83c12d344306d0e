import { CommanderError } from 'commander';
import { CommandError, type ExitName } from '../exit-codes.js';
import {
  AlreadyEnrolledError,
  EnrollmentInputError,
  EnrollmentRefusedError,
  EnrollmentUnansweredError,
  NotEnrolledError,
  StateDirectoryError,
  StateDirectoryInUseError,
  StateFileError,
} from '../identity/errors.js';
import { SpoolOpenError } from '../spool/errors.js';

const exits: readonly { readonly kind: new (...args: never[]) => Error; readonly exit: ExitName }[] = [
  { kind: EnrollmentInputError, exit: 'usage' },
  { kind: NotEnrolledError, exit: 'notEnrolled' },
  { kind: StateDirectoryInUseError, exit: 'stateInUse' },
  { kind: AlreadyEnrolledError, exit: 'failed' },
  { kind: EnrollmentRefusedError, exit: 'failed' },
  { kind: EnrollmentUnansweredError, exit: 'failed' },
  { kind: StateDirectoryError, exit: 'failed' },
  { kind: StateFileError, exit: 'failed' },
  { kind: SpoolOpenError, exit: 'failed' },
];

/**
 * Exit and message of a command that threw: messages made for people are used as they are, other errors have their
 * stack; null where commander has already printed a message.
 */
export function judgeError(error: unknown): { readonly exit: ExitName; readonly message: string | null } {
  // commander also throws for help and version
  if (error instanceof CommanderError) return { exit: error.exitCode === 0 ? 'ok' : 'usage', message: null };
  if (error instanceof CommandError) return { exit: error.exit, message: error.message };
  if (!(error instanceof Error)) return { exit: 'failed', message: String(error) };
  const known = exits.find(({ kind }) => error instanceof kind);
  return known === undefined
    ? { exit: 'failed', message: error.stack ?? error.message }
    : { exit: known.exit, message: error.message };
}
