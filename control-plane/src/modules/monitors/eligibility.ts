import type { Vote } from '@vantage/shared/monitor-state/quorum.js';
import type { NodeSelfTest } from '../nodes/index.js';
import type { VoteRow } from './state-store.js';

// Who may vote on a monitor: a node that
//
//   has an assignment, and has said something under its present generation
//   is linked, or was until a moment ago (a replica that restarts is no reason to know nothing)
//   is neither banned nor deleted, and its own network and clock passed their test
//   has delivered everything it had to until two intervals ago, and the time a check may take

/** A link that ended is forgiven for so long. NOTE: the trigger of migration 0013 asks for a look a second later. */
export const LINK_GRACE_MS = 30_000;
/** So many intervals may be missing. */
export const FRESH_INTERVALS = 2;
/** What a check may take, and how old progress may be that is written every ten seconds. */
export const CHECK_SECONDS = 40;

/** How old the results of a node may be to count for a monitor with this interval, milliseconds. */
export function freshnessMs(intervalSeconds: number): number {
  return (FRESH_INTERVALS * intervalSeconds + CHECK_SECONDS) * 1_000;
}

/** The votes that count, of those of all nodes that have the monitor. */
export function eligibleVotes(rows: readonly VoteRow[], intervalSeconds: number, nowMs: number): Vote[] {
  return rows.flatMap((row) => {
    const { node_id: nodeId, verdict, since } = row;
    if (verdict === null || since === null || !isEligible(row, intervalSeconds, nowMs)) return [];
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
 * A test that was never made is no reason to doubt a node, nor is a family that nothing is known of: without canaries
 * that is all there is to say of one with a route.
 */
function isSound(selfTest: NodeSelfTest | null): boolean {
  const statuses = new Map(selfTest?.checks.map(({ name, status }) => [name, status]));
  if (statuses.get('clock') === 'failed' || statuses.get('resolver') === 'failed') return false;
  const families = [statuses.get('ipv4'), statuses.get('ipv6')].filter((status) => status !== undefined);
  return families.length === 0 || families.some((status) => status !== 'failed');
}
