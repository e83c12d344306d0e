import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import type { DerivedPlace, GeoDatabases } from '../../geo/index.js';
import { ApiError } from '../../http/errors.js';
import type { NodeDirectory } from './directory.js';
import { confirmationBasis, differingFields } from './place/place.js';
import { changePlace } from './place/place-store.js';

interface NodePlacesOptions {
  readonly db: Knex;
  readonly geo: Pick<GeoDatabases, 'locate'>;
  readonly directory: Pick<NodeDirectory, 'find' | 'announce'>;
  readonly log: Logger;
}

/** Places of nodes, by their addresses and by the confirmations of admins. */
export class NodePlaces {
  constructor(private readonly options: NodePlacesOptions) {}

  /** Place that is derived from an address; null if unknown. */
  locate(address: string | null): DerivedPlace | null {
    return address === null ? null : this.options.geo.locate(address);
  }

  /**
   * Derives the place of a node from the address of its link. Called when a link opens and when geo databases change. If the
   * derived place is unchanged, no SQL is run. Never rejects: a place that cannot be stored is tried again at the next link or
   * database change.
   * @returns true if the place changed; the caller announces it
   */
  async derive(nodeId: string, address: string): Promise<boolean> {
    const { db, directory, log } = this.options;
    const derived = this.locate(address);
    const known = directory.find(nodeId);
    if (known !== null && isDeepStrictEqual(known.derivedPlace, derived)) return false;
    try {
      return await db.transaction((trx) => changePlace(trx, nodeId, (facts) => ({ ...facts, derived })));
    } catch (err) {
      log.warn({ err, nodeId }, 'cannot store the place of a node');
      return false;
    }
  }

  /** Derives the places of these links again after databases changed, one after another. */
  async deriveAll(links: Iterable<{ readonly nodeId: string; readonly peerAddress: string }>): Promise<void> {
    for (const { nodeId, peerAddress } of links) {
      if (await this.derive(nodeId, peerAddress)) await this.options.directory.announce([nodeId]);
    }
  }

  /**
   * Confirms the declared place of a node (`declared`), or withdraws the confirmation (`derived`), for an admin. A withdrawal
   * succeeds, and is in the audit log, even if nothing was confirmed. @throws ApiError NODE_NOT_FOUND; for `declared`,
   * NODE_STATE_CONFLICT when the address does not contradict the declared place
   */
  async settle(nodeId: string, by: 'declared' | 'derived', actor: Actor): Promise<void> {
    const { db, directory } = this.options;
    await db.transaction(async (trx) => {
      const isThere = await changePlace(trx, nodeId, (facts) => {
        if (by === 'derived') return { ...facts, confirmedAgainst: null };
        if (differingFields(facts.declared, facts.derived).length === 0) throw new ApiError('NODE_STATE_CONFLICT');
        return { ...facts, confirmedAgainst: confirmationBasis(facts.derived) };
      });
      if (!isThere) throw new ApiError('NODE_NOT_FOUND');
      const accountId = directory.find(nodeId)?.ownerId ?? null;
      const action = by === 'declared' ? 'node.location_confirmed' : 'node.location_unconfirmed';
      await insertAuditEntry(trx, { actor, accountId, action, subject: nodeId });
    });
    await directory.announce([nodeId]);
  }
}
