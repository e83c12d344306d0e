import type { NodeVerdict } from './node-reducer.js';

// State of a monitor, from the verdicts of its nodes. Down and up exclude each other: fewer than `need` failing nodes
// mean up.
//
//                 eligible >= need                              fewer
//   failing >= need            -> down                          unknown: an open event stays as it is
//   else failing or degraded >= need -> degraded
//   else                       -> up; those that fail are an advisory

/** Number of nodes that decide: any single one, a share of the eligible ones (above 0 and at most 1), or a count. */
export type Quorum = 'any' | { readonly share: number } | { readonly count: number };

/** Runtime health of a monitor. API specification 2.2. */
export type MonitorHealth = 'up' | 'down' | 'degraded' | 'unknown';

/** Verdict of a node that may vote. */
export interface Vote {
  readonly nodeId: string;
  readonly verdict: NodeVerdict;
  /** Slot time of the check that made it so, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** Health of a monitor by quorum, and the nodes that disagree. */
export interface QuorumJudgment {
  readonly health: MonitorHealth;
  /** Nodes that have to agree. */
  readonly need: number;
  readonly eligible: number;
  /** Ids of the nodes that fail, in order. */
  readonly failingNodes: readonly string[];
  /** Ids of the nodes that fail or are degraded, in order. */
  readonly impairedNodes: readonly string[];
  /** Slot time of the check by which enough nodes said so; null while nothing is known. */
  readonly decidedAtMs: number | null;
}

/**
 * Reads a `fail_node_quorum`: a fraction "a/b" of at most 1, a count "n", "all" or "any". API specification 2.2.
 * @returns null for any other text
 */
export function parseQuorum(text: string): Quorum | null {
  if (text === 'any') return 'any';
  if (text === 'all') return { share: 1 };
  const [, top, bottom] = /^([1-9]\d{0,2})(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  if (top === undefined) return null;
  if (bottom === undefined) return { count: Number(top) };
  return Number(top) <= Number(bottom) ? { share: Number(top) / Number(bottom) } : null;
}

/**
 * Number of eligible nodes that have to agree. A single node never decides where more are assigned, unless the rule
 * is "any".
 */
export function neededVotes(quorum: Quorum, { eligible, assigned }: { eligible: number; assigned: number }): number {
  if (quorum === 'any') return 1;
  // 2/3 of 3 is 2, despite floating point
  const asked = 'count' in quorum ? quorum.count : Math.ceil(quorum.share * eligible - 1e-9);
  return Math.max(1, asked, Math.min(2, assigned));
}

/** Judges a monitor that is assigned to `assigned` nodes by the votes of those that are eligible. */
export function judgeQuorum(quorum: Quorum, votes: readonly Vote[], assigned: number): QuorumJudgment {
  const eligible = votes.length;
  const need = neededVotes(quorum, { eligible, assigned });
  const failing = votes.filter(({ verdict }) => verdict === 'failing');
  const impaired = votes.filter(({ verdict }) => verdict !== 'ok');
  const well = votes.filter(({ verdict }) => verdict === 'ok');
  const judged = { need, eligible, failingNodes: idsOf(failing), impairedNodes: idsOf(impaired) };
  if (eligible < need) return { ...judged, health: 'unknown', decidedAtMs: null };
  if (failing.length >= need) return { ...judged, health: 'down', decidedAtMs: momentOf(failing, need) };
  if (impaired.length >= need) return { ...judged, health: 'degraded', decidedAtMs: momentOf(impaired, need) };
  // the smallest number for which the others are too few
  return { ...judged, health: 'up', decidedAtMs: momentOf(well, eligible - need + 1) };
}

/** Time since which at least `count` of these votes have been unchanged; null if there are fewer votes. */
function momentOf(votes: readonly Vote[], count: number): number | null {
  return votes.map(({ sinceMs }) => sinceMs).sort((a, b) => a - b)[count - 1] ?? null;
}

function idsOf(votes: readonly Vote[]): string[] {
  return votes.map(({ nodeId }) => nodeId).sort();
}
