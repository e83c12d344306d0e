import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Actor } from '../../actor.js';
import type { DerivedPlace, GeoDatabases } from '../../geo/index.js';
import { ApiError } from '../../http/errors.js';
import { insertAuditEntry } from '../audit/index.js';
import type { NodeDirectory } from './directory.js';
import { differingFields, whereOf } from './place.js';
import { changePlace } from './place-store.js';

interface NodePlacesOptions {
  readonly db: Knex;
  readonly geo: Pick<GeoDatabases, 'locate'>;
  readonly directory: Pick<NodeDirectory, 'find' | 'announce'>;
  readonly log: Logger;
}

/** Where nodes stand: by their addresses, and by the word of an admin. */
export class NodePlaces {
  constructor(private readonly options: NodePlacesOptions) {}

  /** What the address of a node says; null: nothing. */
  locate(address: string | null): DerivedPlace | null {
    return address === null ? null : this.options.geo.locate(address);
  }

  /**
   * A node is linked from this address, or databases changed meanwhile. Most of the time nothing is new, which costs no
   * statement. Never rejects: a place that can't be stored waits for the next link.
   * @returns whether something changed; the caller announces it
   */
  async derive(nodeId: string, address: string): Promise<boolean> {
    const { db, directory, log } = this.options;
    const derived = this.locate(address);
    const known = directory.find(nodeId);
    if (known !== null && isDeepStrictEqual(known.derivedPlace, derived)) return false;
    try {
      return await db.transaction((trx) => changePlace(trx, nodeId, (facts) => ({ ...facts, derived })));
    } catch (err) {
      log.warn({ err, nodeId }, 'place of a node not stored');
      return false;
    }
  }

  /** Databases changed: derives the places of these links anew, one after another. */
  async deriveAll(links: Iterable<{ readonly nodeId: string; readonly peerAddress: string }>): Promise<void> {
    for (const { nodeId, peerAddress } of links) {
      if (await this.derive(nodeId, peerAddress)) await this.options.directory.announce([nodeId]);
    }
  }

  /**
   * An admin's word: `declared` holds what the node declares against what its address says now, `derived` takes that back.
   * @throws ApiError NODE_NOT_FOUND, NODE_STATE_CONFLICT when its address says nothing else than what it declares
   */
  async settle(nodeId: string, by: 'declared' | 'derived', actor: Actor): Promise<void> {
    const { db, directory } = this.options;
    await db.transaction(async (trx) => {
      const isThere = await changePlace(trx, nodeId, (facts) => {
        if (by === 'derived') return { ...facts, confirmedAgainst: null };
        if (differingFields(facts.declared, facts.derived).length === 0) throw new ApiError('NODE_STATE_CONFLICT');
        return { ...facts, confirmedAgainst: whereOf(facts.derived) };
      });
      if (!isThere) throw new ApiError('NODE_NOT_FOUND');
      const accountId = directory.find(nodeId)?.ownerId ?? null;
      const action = by === 'declared' ? 'node.location_confirmed' : 'node.location_unconfirmed';
      await insertAuditEntry(trx, { actor, accountId, action, subject: nodeId });
    });
    await directory.announce([nodeId]);
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly places: NodePlaces;
  }
}
