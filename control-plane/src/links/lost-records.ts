import { type Lane, lanes } from '@vantage/shared/protocol/codec.js';
import type { LinkTable } from './link-table.js';

// A database that was failed over may have lost what it had stored last, and had said so to agents. An agent that links
// anew is told the marks as they are now, and sends again what is missing:
//
//   database back ──> what it says of every open link ──less than it had said──> that link is closed, its agent comes back

/** What the database once said of an open link. */
export interface KnownLink {
  readonly nodeId: string;
  readonly generation: number;
  /** Of the node's spool, and the highest number stored of each lane. */
  readonly epoch: Buffer;
  readonly marks: Readonly<Record<Lane, number>>;
}

/** What it says now; no record where it does not know the node. */
export interface FoundLink {
  readonly nodeId: string;
  readonly generation: number;
  readonly marks: Readonly<Partial<Record<Lane, number>>>;
}

/** Whether a database has forgotten something of a link: itself, or results. */
export function hasForgotten(known: KnownLink, found: FoundLink | undefined): boolean {
  if (found === undefined || found.generation < known.generation) return true;
  return lanes.some((lane) => (found.marks[lane] ?? 0) < known.marks[lane]);
}

/** Closes the links of which the database has forgotten something; their agents come back at once. @returns how many */
export async function closeForgotten(
  table: LinkTable,
  find: (links: readonly KnownLink[]) => Promise<readonly FoundLink[]>,
): Promise<number> {
  // known first, found later: what is stored meanwhile can only be more
  const known = new Map([...table.all()].map((session) => [session, session.known] as const));
  const links = [...known.values()].filter((link) => link !== null);
  if (links.length === 0) return 0;
  const found = new Map((await find(links)).map((link) => [link.nodeId, link]));
  const forgotten = [...known].filter(([{ nodeId }, link]) => link !== null && hasForgotten(link, found.get(nodeId)));
  for (const [session] of forgotten) session.close('CLOSE_OVERLOADED', 'the database has lost what it had: link again');
  return forgotten.length;
}
