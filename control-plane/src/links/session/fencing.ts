import type { LinkNodeRow } from '../records/opening-store.js';
import type { CloseReason } from './closing.js';
import type { Link } from './link.js';
import type { LinkTable } from './link-table.js';
import type { NodeFacts, NodeFactsSource } from './node-facts.js';

const BANNED_MESSAGE = 'this node is banned';
const DELETED_MESSAGE = 'this node was deleted by its owner: to connect it again, enroll it with a new token';

/** Reason why a node gets no link at all, as its agent gets it. */
export interface ShutOut {
  readonly reason: Extract<CloseReason, 'CLOSE_BANNED' | 'CLOSE_DELETED' | 'CLOSE_UNAUTHENTICATED'>;
  readonly message: string;
}

/** Reason why a node is shut out; null if it may have a link. */
export function shutOutOf(
  node: Pick<LinkNodeRow, 'is_banned' | 'is_quarantined' | 'is_deleted'> | null,
): ShutOut | null {
  if (node === null) return { reason: 'CLOSE_UNAUTHENTICATED', message: 'unknown node' };
  if (node.is_banned || node.is_quarantined) return { reason: 'CLOSE_BANNED', message: BANNED_MESSAGE };
  return node.is_deleted ? { reason: 'CLOSE_DELETED', message: DELETED_MESSAGE } : null;
}

/**
 * Closes a link that a newer record has ended: the node was banned, or has linked elsewhere, or this replica was halted
 * until the others took its nodes for unlinked. In the last case the agent is to come back at once.
 */
export function fence(session: Link, node: NodeFacts): void {
  if (node.revision <= session.revision) return;
  if (node.isBanned) session.close('CLOSE_BANNED', BANNED_MESSAGE);
  else if (node.isDeleted) session.close('CLOSE_DELETED', DELETED_MESSAGE);
  else if (node.sessionId === null) session.close('CLOSE_DRAINING', 'this replica was given up for dead meanwhile');
  else if (node.sessionId !== session.sessionId) session.close('CLOSE_REPLACED', 'a newer link of this node took over');
}

/** Passes each change of a node's record to the node's link in this replica. */
export function followDirectory(directory: NodeFactsSource, table: LinkTable): void {
  directory.onChange((node) => {
    table.find(node.id)?.takeFacts(node);
  });
}
