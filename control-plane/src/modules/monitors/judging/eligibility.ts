import type { Vote } from '@vantage/shared/monitor-state/quorum.js';
import type { Node } from '../../nodes/index.js';
import { freshnessMs } from '../definition/freshness.js';
import type { VoteRow } from './state-store.js';

// A node may vote on a monitor if it
//
//   has an assignment, and has decided something under its present generation
//   is linked, or was until a moment ago (the restart of a replica must not make health unknown)
//   is neither banned nor deleted, and its own network and clock passed their test
//   has delivered everything due until two intervals and the duration of a check ago

/** Time for which the vote of a node counts after its link ended. NOTE: the trigger note_node_link marks its monitors as due a second later. */
export const LINK_GRACE_MS = 30_000;
/** Votes that count, among those of all nodes that have the monitor. */
export function eligibleVotes(rows: readonly VoteRow[], intervalSeconds: number, nowMs: number): Vote[] {
  return rows.flatMap((row) => {
    const { node_id: nodeId, verdict, since } = row;
    if (verdict === null || verdict === 'undecided' || since === null || !isEligible(row, intervalSeconds, nowMs))
      return [];
    return [{ nodeId, verdict, sinceMs: Date.parse(since) }];
  });
}

function isFresh({ complete_through }: VoteRow, intervalSeconds: number, nowMs: number): boolean {
  return complete_through !== null && nowMs - Date.parse(complete_through) <= freshnessMs(intervalSeconds);
}

function isEligible(row: VoteRow, intervalSeconds: number, nowMs: number): boolean {
  const isOwn = row.state_generation === row.generation && !row.is_shut_out;
  return isOwn && isConnected(row, nowMs) && isFresh(row, intervalSeconds, nowMs) && isSound(row.self_test);
}

function isConnected({ is_linked, left_at }: VoteRow, nowMs: number): boolean {
  return is_linked || (left_at !== null && nowMs - Date.parse(left_at) <= LINK_GRACE_MS);
}

/**
 * True unless the self-test of a node failed. A missing test, or an address family without a result, does not exclude a node: without canaries
 * nothing more is known of a node with a route.
 */
function isSound(selfTest: Node['selfTest']): boolean {
  const statuses = new Map(selfTest?.checks.map(({ name, status }) => [name, status]));
  if (statuses.get('clock') === 'failed' || statuses.get('resolver') === 'failed') return false;
  const families = [statuses.get('ipv4'), statuses.get('ipv6')].filter((status) => status !== undefined);
  return families.length === 0 || families.some((status) => status !== 'failed');
}
