import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';

const ofTheNode: ReadonlySet<string> = new Set<ProbeErrorCode>([
  'cancelled',
  'internal',
  'node_lost',
  'not_supported',
  'overload',
]);

/** True if a code is about the node that measured, and nothing of the target or of a third party. */
export function isFailureOfNode(code: string): boolean {
  return ofTheNode.has(code);
}
