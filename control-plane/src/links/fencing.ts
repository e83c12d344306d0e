import type { LinkTable } from './link-table.js';
import type { LinkSession } from './session.js';

/** What fencing needs to know of a node's record. */
export interface NodeNews {
  readonly id: string;
  readonly sessionId: string | null;
  readonly isBanned: boolean;
  readonly revision: number;
}

/** Where a node's newest known record is read and followed. */
export interface NodeNewsSource {
  find(id: string): NodeNews | null;
  onChange(listener: (node: NodeNews) => void): void;
}

/** Closes a link that a newer record says must not live: its node was banned, or linked elsewhere since. */
export function fence(session: LinkSession, node: NodeNews | null): void {
  if (!node || node.revision <= session.revision) return;
  if (node.isBanned) session.close('CLOSE_BANNED', 'this node is banned');
  else if (node.sessionId !== session.sessionId) session.close('CLOSE_REPLACED', 'a newer link of this node took over');
}

/** Fences every link here whenever its node's record changes. */
export function followDirectory(directory: NodeNewsSource, table: LinkTable): void {
  directory.onChange((node) => {
    const session = table.find(node.id);
    if (session) fence(session, node);
  });
}
