import type { ProbeErrorCode } from '../probe-types/error-codes.js';
import type { ProbeResults } from '../probe-types/index.js';
import type { FindingCode } from './finding-table.js';

/** Result of a node for one type. */
export interface NodeResult<T extends keyof ProbeResults> {
  readonly nodeId: string;
  readonly result: ProbeResults[T];
}

/** Failures that say something about the node or this service, and nothing about the target. */
const nodeFailures: ReadonlySet<ProbeErrorCode> = new Set([
  'node_lost',
  'overload',
  'internal',
  'cancelled',
  'not_supported',
  'target_rate_limited',
]);

/** True for a result that says something about the target. */
export function isJudged({
  result,
}: {
  readonly result: { readonly error: { code: ProbeErrorCode } | null };
}): boolean {
  return result.error === null || !nodeFailures.has(result.error.code);
}

/** Collects which nodes saw what. */
export class Seen {
  readonly sightings = new Map<FindingCode, Set<string>>();

  add(code: FindingCode, nodeId: string): void {
    const nodes = this.sightings.get(code);
    if (nodes === undefined) this.sightings.set(code, new Set([nodeId]));
    else nodes.add(nodeId);
  }
}
