import { TargetError } from '../host.js';

/** Outcome of a judgment: `allowed`, or kind and field as in `refused params.server`. Other errors pass through. */
export function verdictOf(judge: () => unknown): string {
  try {
    judge();
    return 'allowed';
  } catch (error) {
    if (error instanceof TargetError) return `${error.kind} ${error.field}`;
    throw error;
  }
}
