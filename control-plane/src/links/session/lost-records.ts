import { lanes } from '@vantage/shared/protocol/codec.js';
import type { FoundLink, KnownLink } from '../records/known-link.js';
import type { LinkTable } from './link-table.js';

// After a failover, a database may have lost its newest rows, which were acknowledged to agents. An agent that links
// again gets the current marks, and sends the missing rows again:
//
//   database back ──> its record of every open link ──less than it had confirmed──> that link is closed, its agent comes back

/** True if a database has lost data of a link: its record, or results. */
export function hasForgotten(known: KnownLink, found: FoundLink | undefined): boolean {
  if (found === undefined || found.generation < known.generation) return true;
  return lanes.some((lane) => (found.marks[lane] ?? 0) < known.marks[lane]);
}

/**
 * Closes the links of which the database has lost data; their agents come back at once.
 * @returns the number of links
 */
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
