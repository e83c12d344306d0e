import { isAdministrator } from './access.js';
import type { Account } from './route.js';

/** Rights of a caller to read rows that not everybody sees: private nodes, and tasks of probes. */
export interface Viewer {
  /** Owner whose own rows it sees; null for a caller without credentials. */
  readonly ownerId: string | null;
  /** True if it also sees the private nodes of others. */
  readonly isAdmin: boolean;
  /** True if it sees only those probes that test keys created. */
  readonly isTest: boolean;
}

/** Viewer for an account; null for a caller without credentials. */
export function viewerOf(account: Account | null): Viewer {
  return {
    ownerId: account?.owner.id ?? null,
    isAdmin: account !== null && isAdministrator(account),
    isTest: account?.owner.isTest ?? false,
  };
}
