import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import { isAdministrator } from '../../http/access.js';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { insertAuditEntry } from '../audit/index.js';
import type { NodeDirectory } from './directory.js';
import type { Enrollment } from './enrollment.js';
import { isVisibleTo, type Node, type NodeStatus, statusOf, type Viewer } from './node.js';
import { findNodes, updateBan, updateBanOfOwner, updateUnban } from './store.js';

export { NodeDirectory } from './directory.js';
export { Enrollment } from './enrollment.js';
export { isVisibleTo, lacksFamily, type Node, type NodeStatus, nodeStatuses, statusOf, type Viewer } from './node.js';
export { NodeIdSchema, NodeSchema, NodeSelectionSchema } from './schema.js';
export { matches, type NodeSelection, selectNodes } from './selection.js';
export { nodeView } from './view.js';

/** What a list of nodes may be narrowed to. */
export interface NodeFilter {
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  readonly asn?: number | undefined;
  readonly provider?: string | undefined;
  readonly status?: NodeStatus | undefined;
  readonly tag?: string | undefined;
  readonly capability?: string | undefined;
}

interface NodesOptions {
  readonly db: Knex;
  readonly directory: NodeDirectory;
  readonly enrollment: Enrollment;
  /** The control plane's identity key, raw, base64: agents pin it. */
  readonly serverPublicKey: string;
  readonly publicUrl: string;
  readonly heartbeatMs: number;
}

/** The node directory and what admins do to nodes. */
export class Nodes {
  readonly enrollment: Enrollment;
  readonly directory: NodeDirectory;

  constructor(private readonly options: NodesOptions) {
    this.enrollment = options.enrollment;
    this.directory = options.directory;
  }

  /** Nodes the viewer may see, newest first; banned ones only for admins. */
  list(viewer: Viewer, filter: NodeFilter): Node[] {
    return [...this.directory.all()]
      .filter((node) => isVisibleTo(node, viewer) && (viewer.isAdmin || !node.isBanned) && passes(node, filter))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** @throws ApiError NODE_NOT_FOUND when there is none the viewer may see */
  get(viewer: Viewer, id: string): Node {
    const node = this.directory.find(id);
    if (!node || !isVisibleTo(node, viewer) || (node.isBanned && !viewer.isAdmin)) throw new ApiError('NODE_NOT_FOUND');
    return node;
  }

  /** Bans a node everywhere: its link closes, it can't return. @throws ApiError NODE_NOT_FOUND, NODE_ALREADY_BANNED */
  async ban(id: string, reason: string, actor: Actor): Promise<Node> {
    await this.options.db.transaction(async (trx) => {
      if (!(await updateBan(trx, id, reason))) {
        throw new ApiError((await findNodes(trx, [id])).length === 0 ? 'NODE_NOT_FOUND' : 'NODE_ALREADY_BANNED');
      }
      const [node] = await findNodes(trx, [id]);
      const accountId = node?.ownerId ?? null;
      await insertAuditEntry(trx, { actor, accountId, action: 'node.banned', subject: id, details: { reason } });
    });
    return this.#announced(id);
  }

  /** Bans every node of an owner who leaves, in the caller's transaction. Links hear of it by the directory's own sweep. */
  async release(trx: Knex, ownerId: string, actor: Actor): Promise<void> {
    for (const subject of await updateBanOfOwner(trx, ownerId, 'the account of its owner was deleted')) {
      await insertAuditEntry(trx, { actor, accountId: ownerId, action: 'node.banned', subject });
    }
  }

  /** Lifts a ban. @throws ApiError NODE_NOT_FOUND, NODE_NOT_BANNED */
  async unban(id: string, actor: Actor): Promise<Node> {
    await this.options.db.transaction(async (trx) => {
      if (!(await updateUnban(trx, id))) {
        throw new ApiError((await findNodes(trx, [id])).length === 0 ? 'NODE_NOT_FOUND' : 'NODE_NOT_BANNED');
      }
      const [node] = await findNodes(trx, [id]);
      const accountId = node?.ownerId ?? null;
      await insertAuditEntry(trx, { actor, accountId, action: 'node.unbanned', subject: id });
    });
    return this.#announced(id);
  }

  /** What an agent needs after enrolling. */
  enrollReply(nodeId: string) {
    const { publicUrl, serverPublicKey, heartbeatMs } = this.options;
    return {
      node_id: nodeId,
      control_urls: [publicUrl],
      server_public_key: serverPublicKey,
      audience: publicUrl,
      config: { heartbeat_ms: heartbeatMs },
    };
  }

  async #announced(id: string): Promise<Node> {
    await this.directory.announce([id]);
    const node = this.directory.find(id);
    if (!node) throw new ApiError('NODE_NOT_FOUND');
    return node;
  }
}

/** The viewer an account is; anybody without one. */
export function viewerOf(account: Account | null): Viewer {
  return {
    userId: account?.userId ?? null,
    isAdmin: account !== null && isAdministrator(account),
    isTest: account?.isTest ?? false,
  };
}

function passes(node: Node, filter: NodeFilter): boolean {
  const { country, region, asn, provider, status, tag, capability } = filter;
  return (
    (country === undefined || node.country === country.toUpperCase()) &&
    (region === undefined || node.region?.toLowerCase() === region.toLowerCase()) &&
    (asn === undefined || node.asn === asn) &&
    (provider === undefined || node.provider?.toLowerCase() === provider.toLowerCase()) &&
    (status === undefined || statusOf(node) === status) &&
    (tag === undefined || node.tags.includes(tag.toLowerCase())) &&
    (capability === undefined || node.capabilities.includes(capability))
  );
}

declare module '../../http/route.js' {
  interface Services {
    readonly nodes: Nodes;
  }
}
