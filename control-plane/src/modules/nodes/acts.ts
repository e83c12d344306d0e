import { randomBytes } from 'node:crypto';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import type { ErrorCode } from '../../http/error-table.js';
import { ApiError } from '../../http/errors.js';
import { type AuditAction, insertAuditEntry } from '../audit/index.js';
import type { NodeDirectory } from './directory.js';
import type { Node } from './node.js';
import {
  deleteNodesOfOwner,
  lockNode,
  type NodeChange,
  updateBan,
  updateDeleted,
  updateDrain,
  updateNode,
  updateRotationRequest,
  updateUnban,
  updateUpgradeRequest,
} from './store.js';

// Every act is one transaction: the row is locked, its state judged, the change and its line in the audit log written.
// Then every replica reads the node again; where its link is, the session does the rest (links/fencing.ts).

/** Who acts on which node. */
export interface ActOn {
  readonly id: string;
  /** Only a node of this user: another one is not there. Null: any. */
  readonly ownerId: string | null;
  readonly actor: Actor;
}

interface Act {
  readonly action: AuditAction;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Why the node's state forbids it; null: it doesn't. */
  readonly refuse: (node: Node) => ErrorCode | null;
  readonly write: (trx: Knex) => Promise<void>;
}

/** What owners and admins do to nodes. Each throws ApiError NODE_NOT_FOUND, and what its comment names. */
export class NodeActs {
  constructor(private readonly options: { readonly db: Knex; readonly directory: NodeDirectory }) {}

  /** Shuts a node out: its link closes everywhere, it can't return. @throws ApiError NODE_ALREADY_BANNED */
  ban(on: ActOn, reason: string): Promise<void> {
    return this.#perform(on, {
      action: 'node.banned',
      details: { reason },
      refuse: (node) => (node.isBanned && !node.isQuarantined ? 'NODE_ALREADY_BANNED' : null),
      write: (trx) => updateBan(trx, on.id, reason),
    });
  }

  /** Lifts a ban or a quarantine. @throws ApiError NODE_NOT_BANNED */
  unban(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.unbanned',
      refuse: (node) => (node.isBanned ? null : 'NODE_NOT_BANNED'),
      write: (trx) => updateUnban(trx, on.id),
    });
  }

  /** Gives a node no new work; it keeps its link and what it has. @throws ApiError NODE_STATE_CONFLICT */
  drain(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.drained',
      refuse: (node) => (node.isDraining || node.isBanned ? 'NODE_STATE_CONFLICT' : null),
      write: (trx) => updateDrain(trx, on.id, true),
    });
  }

  /** Gives it work again. @throws ApiError NODE_STATE_CONFLICT when it was not draining */
  undrain(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.undrained',
      refuse: (node) => (node.isDraining ? null : 'NODE_STATE_CONFLICT'),
      write: (trx) => updateDrain(trx, on.id, false),
    });
  }

  /** Asks the node for another key, now or when it is back. @throws ApiError NODE_STATE_CONFLICT when it is banned */
  rotateKey(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.key_rotation_requested',
      refuse: (node) => (node.isBanned ? 'NODE_STATE_CONFLICT' : null),
      write: (trx) => updateRotationRequest(trx, on.id, randomBytes(NONCE_BYTES)),
    });
  }

  /**
   * Asks a node that is connected for another version of its agent. @throws ApiError NODE_OFFLINE, NODE_STATE_CONFLICT
   * when it is banned, runs that version, or is being upgraded
   */
  upgrade(on: ActOn, version: string): Promise<void> {
    return this.#perform(on, {
      action: 'node.upgrade_requested',
      details: { version },
      refuse: refuseUpgrade,
      write: async (trx) => {
        if (!(await updateUpgradeRequest(trx, on.id, version))) throw new ApiError('NODE_STATE_CONFLICT');
      },
    });
  }

  /** Changes what its owner says of a node. */
  change(on: ActOn, change: NodeChange): Promise<void> {
    return this.#perform(on, {
      action: 'node.updated',
      details: { ...change },
      refuse: () => null,
      write: (trx) => updateNode(trx, on.id, change),
    });
  }

  /** Takes a node away for good: its link closes everywhere; its results stay. */
  delete(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.deleted',
      refuse: () => null,
      write: (trx) => updateDeleted(trx, on.id),
    });
  }

  /** Deletes every node of an owner who leaves, in the caller's transaction. Links hear of it by the directory's poll. */
  async release(trx: Knex, ownerId: string, actor: Actor): Promise<void> {
    for (const subject of await deleteNodesOfOwner(trx, ownerId)) {
      await insertAuditEntry(trx, { actor, accountId: ownerId, action: 'node.deleted', subject });
    }
  }

  async #perform({ id, ownerId, actor }: ActOn, { action, details, refuse, write }: Act): Promise<void> {
    const { db, directory } = this.options;
    await db.transaction(async (trx) => {
      const node = await lockNode(trx, id);
      if (node === null || (ownerId !== null && node.ownerId !== ownerId)) throw new ApiError('NODE_NOT_FOUND');
      const refused = refuse(node);
      if (refused !== null) throw new ApiError(refused);
      await write(trx);
      const entry = { actor, accountId: node.ownerId, action, subject: id };
      await insertAuditEntry(trx, details === undefined ? entry : { ...entry, details });
    });
    // it is done, whoever hears of it: directories poll too
    await directory.announce([id]).catch(() => {});
  }
}

function refuseUpgrade({ isBanned, sessionId, upgrade }: Node): ErrorCode | null {
  if (isBanned) return 'NODE_STATE_CONFLICT';
  if (sessionId === null) return 'NODE_OFFLINE';
  return upgrade?.state === 'requested' || upgrade?.state === 'running' ? 'NODE_STATE_CONFLICT' : null;
}
