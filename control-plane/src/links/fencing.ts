import type { LinkTable } from './link-table.js';
import type { LinkNodeRow } from './opening-store.js';
import type { LinkSession } from './session.js';
import type { WishedUpgrade } from './upgrades.js';

const BANNED_MESSAGE = 'this node is banned';
const DELETED_MESSAGE = 'this node was deleted by its owner: enroll anew if it is to come back';

/** What fencing needs to know of a node's record. */
export interface NodeNews {
  readonly id: string;
  readonly sessionId: string | null;
  readonly isBanned: boolean;
  readonly isDeleted: boolean;
  /** When somebody asked for another key of the node; null: nobody, or it has one. */
  readonly rotationRequestedAt: Date | null;
  readonly upgrade: WishedUpgrade | null;
  readonly revision: number;
}

/** Where a node's newest known record is read and followed. */
export interface NodeNewsSource {
  find(id: string): NodeNews | null;
  onChange(listener: (node: NodeNews) => void): void;
}

/** Why a node gets no link at all, as its agent is told; null: it may have one. */
export function shutOutMessage(node: Pick<LinkNodeRow, 'is_banned' | 'is_quarantined' | 'is_deleted'> | null) {
  if (node === null || node.is_banned || node.is_quarantined) return BANNED_MESSAGE;
  return node.is_deleted ? DELETED_MESSAGE : null;
}

/**
 * Closes a link that a newer record says must not live: its node was banned, or linked elsewhere since, or this replica
 * stood still for so long that the others took its nodes for unlinked. Then the agent is to come back at once.
 */
export function fence(session: LinkSession, node: NodeNews): void {
  if (node.revision <= session.revision) return;
  if (node.isBanned) session.close('CLOSE_BANNED', BANNED_MESSAGE);
  else if (node.isDeleted) session.close('CLOSE_BANNED', DELETED_MESSAGE);
  else if (node.sessionId === null) session.close('CLOSE_DRAINING', 'this replica was given up for dead meanwhile');
  else if (node.sessionId !== session.sessionId) session.close('CLOSE_REPLACED', 'a newer link of this node took over');
}

/** Tells every link here whenever its node's record changes. */
export function followDirectory(directory: NodeNewsSource, table: LinkTable): void {
  directory.onChange((node) => {
    table.find(node.id)?.takeNews(node);
  });
}
