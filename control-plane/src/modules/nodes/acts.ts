import { randomBytes } from 'node:crypto';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../audit-log/actions.js';
import type { Actor } from '../../audit-log/actor.js';
import { happened } from '../../audit-log/happened.js';
import { type AuditEntry, insertAuditEntries, insertAuditEntry } from '../../audit-log/store.js';
import { afterCommit } from '../../db/after-commit.js';
import type { NewEvent } from '../../events/index.js';
import type { ErrorCode } from '../../http/error-table.js';
import { ApiError } from '../../http/errors.js';
import type { Suspension } from '../../owners/index.js';
import type { NodeDirectory } from './directory.js';
import type { Node } from './node.js';
import { endPresence } from './presence/presence-store.js';
import {
  deleteNodesOfOwner,
  drainNodesOfOwner,
  lockNode,
  type NamedNode,
  type NodeChange,
  undrainNodesOfOwner,
  updateBan,
  updateDeleted,
  updateDrain,
  updateNode,
  updateRotationRequest,
  updateUnban,
  updateUpgradeRequest,
} from './store.js';

// Every act except `release` and `suspension` is one transaction: it locks the row, checks its state, and writes the change and an entry in the
// audit log. Then every replica reads the node again, and the one that holds its link acts on the change
// (links/session/fencing.ts). Those two run in the transaction of their caller.

/** Node of an act, and its actor. */
export interface ActOn {
  readonly id: string;
  /** Owner that the node must have, else it is not found; null for any. */
  readonly ownerId: string | null;
  readonly actor: Actor;
}

interface Act {
  readonly action: AuditAction;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Returns the error if the state of the node forbids the act, else null. */
  readonly refuse: (node: Node) => ErrorCode | null;
  /** Writes the change. @returns the event to publish, or undefined */
  readonly write: (trx: Knex, node: Node) => Promise<NewEvent | void>;
}

/** Acts of owners and admins on nodes. Every act except `release` throws NODE_NOT_FOUND, and the errors in its comment. */
export class NodeActs {
  constructor(private readonly options: { readonly db: Knex; readonly directory: NodeDirectory }) {}

  /** Bans a node: its link is closed and it can't connect again. @throws ApiError NODE_ALREADY_BANNED */
  ban(on: ActOn, reason: string): Promise<void> {
    return this.#perform(on, {
      action: 'node.banned',
      details: { reason },
      refuse: (node) => (node.isBanned && !node.isQuarantined ? 'NODE_ALREADY_BANNED' : null),
      write: async (trx, node) => {
        const at = await updateBan(trx, on.id, reason);
        await endPresence(trx, on.id);
        return bannedEvent(node, { reason, at });
      },
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

  /** Stops sending new work to a node; it keeps its link and its present work. @throws ApiError NODE_STATE_CONFLICT */
  drain(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.drained',
      refuse: (node) => (node.isDraining || node.isBanned ? 'NODE_STATE_CONFLICT' : null),
      write: (trx) => updateDrain(trx, on.id, true),
    });
  }

  /** Sends work to a drained node again. @throws ApiError NODE_STATE_CONFLICT when it is not draining */
  undrain(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.undrained',
      refuse: (node) => (node.isDraining ? null : 'NODE_STATE_CONFLICT'),
      write: (trx) => updateDrain(trx, on.id, false),
    });
  }

  /** Asks the node for a new key, now or when it reconnects. @throws ApiError NODE_STATE_CONFLICT when it is banned */
  rotateKey(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.key_rotation_requested',
      refuse: (node) => (node.isBanned ? 'NODE_STATE_CONFLICT' : null),
      write: (trx) => updateRotationRequest(trx, on.id, randomBytes(NONCE_BYTES)),
    });
  }

  /**
   * Asks a connected node to change to another version of its agent. @throws ApiError NODE_OFFLINE, NODE_STATE_CONFLICT
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

  /** Changes the fields of a node that its owner sets. */
  change(on: ActOn, change: NodeChange): Promise<void> {
    return this.#perform(on, {
      action: 'node.updated',
      details: { ...change },
      refuse: () => null,
      write: (trx) => updateNode(trx, on.id, change),
    });
  }

  /** Deletes a node permanently: its link is closed, its results are kept. */
  delete(on: ActOn): Promise<void> {
    return this.#perform(on, {
      action: 'node.deleted',
      refuse: () => null,
      write: (trx) => updateDeleted(trx, on.id),
    });
  }

  /** Deletes all nodes of an owner in the caller's transaction, and returns them. Their links are closed after its commit. */
  async release(
    trx: Knex,
    ownerId: string,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<NamedNode[]> {
    const nodes = await deleteNodesOfOwner(trx, ownerId);
    const ids = nodes.map(({ id }) => id);
    await this.#record(trx, ids, { accountId: ownerId, actor, action: 'node.deleted', details: { reason } });
    return nodes;
  }

  /** Drains the nodes of an account that is to be erased, and undrains them when it is restored, in the caller's transaction. */
  readonly suspension: Suspension = {
    suspend: async (trx, { id: accountId }, actor) => {
      const ids = await drainNodesOfOwner(trx, accountId);
      await this.#record(trx, ids, {
        accountId,
        actor,
        action: 'node.drained',
        details: { reason: 'account_deleting' },
      });
    },
    resume: async (trx, { id: accountId }, actor) => {
      const ids = await undrainNodesOfOwner(trx, accountId);
      await this.#record(trx, ids, { accountId, actor, action: 'node.undrained' });
    },
  };

  /** Writes an entry in the audit log for each of these nodes; replicas read them again after the commit. */
  async #record(trx: Knex, ids: readonly string[], act: Omit<AuditEntry, 'subject'>): Promise<void> {
    await insertAuditEntries(
      trx,
      ids.map((subject) => ({ ...act, subject })),
    );
    if (ids.length > 0) afterCommit(trx, () => void this.options.directory.announce(ids).catch(() => {}));
  }

  async #perform({ id, ownerId, actor }: ActOn, { action, details, refuse, write }: Act): Promise<void> {
    const { db, directory } = this.options;
    await db.transaction(async (trx) => {
      const node = await lockNode(trx, id);
      if (node === null || (ownerId !== null && node.ownerId !== ownerId)) throw new ApiError('NODE_NOT_FOUND');
      const refused = refuse(node);
      if (refused !== null) throw new ApiError(refused);
      const event = await write(trx, node);
      const entry = {
        actor,
        accountId: node.ownerId,
        action,
        subject: id,
        ...(details === undefined ? {} : { details }),
      };
      if (event === undefined) await insertAuditEntry(trx, entry);
      else await happened(trx, { ...entry, event });
    });
    // the act is complete even if the announcement fails: directories poll too
    await directory.announce([id]).catch(() => {});
  }
}

function bannedEvent(
  { id, name, ownerId }: Node,
  { reason, at }: { readonly reason: string; readonly at: Date },
): NewEvent {
  const payload = { node: { id, name }, reason, since: at.toISOString() };
  return { kind: 'node.banned', ownerId, isTest: false, subject: id, payload };
}

function refuseUpgrade({ isBanned, sessionId, upgrade }: Node): ErrorCode | null {
  if (isBanned) return 'NODE_STATE_CONFLICT';
  if (sessionId === null) return 'NODE_OFFLINE';
  return upgrade?.state === 'requested' || upgrade?.state === 'running' ? 'NODE_STATE_CONFLICT' : null;
}
