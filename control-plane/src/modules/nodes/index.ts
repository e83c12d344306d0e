import type { Knex } from 'knex';
import { isAdministrator } from '../../http/access.js';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import { NodeActs } from './acts.js';
import type { NodeDirectory } from './directory.js';
import { isVisibleTo, type Node, type NodeStatus, statusOf, type Viewer } from './node.js';
import { listNodeRecords, type NodeRecord, type RecordFilter } from './record-store.js';

export type { ActOn, NodeActs } from './acts.js';
export { NodeDirectory } from './directory.js';
export { Enrollment } from './enrollment.js';
export { EnrollmentTokens } from './enrollment-tokens.js';
export {
  isVisibleTo,
  lacksFamily,
  type Node,
  type NodeSelfTest,
  type NodeStatus,
  nodeStatuses,
  statusOf,
  type Viewer,
} from './node.js';
export { NodePlaces } from './node-places.js';
export { type AdminNode, adminNodeView } from './record-view.js';
export { Revocations } from './revocations.js';
export { NodeIdSchema, NodeSchema, NodeSelectionSchema } from './schema.js';
export { matches, type NodeSelection, selectNodes } from './selection.js';
export { type NodeReads, nodeReads } from './store.js';
export { deleteOldLinkDays, updateUptimes } from './uptime-store.js';
export { nodeView } from './view.js';

/** Every node of everybody. */
export const anyRecord: RecordFilter = {
  id: null,
  ownerId: null,
  status: null,
  version: null,
  isQuarantined: null,
  hasGeoMismatch: null,
};

/** What a list of nodes may be narrowed to. */
export interface NodeFilter {
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  readonly asn?: number | undefined;
  readonly provider?: string | undefined;
  readonly status?: NodeStatus | undefined;
  readonly tag?: string | undefined;
  readonly capability?: string | undefined;
  /** Admins only: others must not learn of it. */
  readonly geo_mismatch?: boolean | undefined;
}

interface NodesOptions {
  readonly db: Knex;
  readonly directory: NodeDirectory;
}

/** The node directory, and what owners and admins do to nodes. */
export class Nodes {
  readonly directory: NodeDirectory;
  readonly acts: NodeActs;

  constructor(private readonly options: NodesOptions) {
    this.directory = options.directory;
    this.acts = new NodeActs(options);
  }

  /** Nodes the viewer may see, newest first; banned ones only for admins. */
  list(viewer: Viewer, filter: NodeFilter): Node[] {
    return [...this.directory.all()]
      .filter((node) => isVisibleTo(node, viewer) && (viewer.isAdmin || !node.isBanned) && passes(node, filter))
      .filter((node) => !viewer.isAdmin || (filter.geo_mismatch ?? node.hasGeoMismatch) === node.hasGeoMismatch)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** @throws ApiError NODE_NOT_FOUND when there is none the viewer may see */
  get(viewer: Viewer, id: string): Node {
    const node = this.directory.find(id);
    if (!node || !isVisibleTo(node, viewer) || (node.isBanned && !viewer.isAdmin)) throw new ApiError('NODE_NOT_FOUND');
    return node;
  }

  /** A node as the database has it now. @throws ApiError NODE_NOT_FOUND; `ownerId` null: whoever owns it */
  async record(id: string, ownerId: string | null): Promise<NodeRecord> {
    const { records } = await this.listRecords({ ...anyRecord, id, ownerId }, { limit: 1, offset: 0 });
    const [record] = records;
    if (record === undefined) throw new ApiError('NODE_NOT_FOUND');
    return record;
  }

  /** One page of nodes as the database has them now, newest first, and how many there are. */
  listRecords(
    filter: RecordFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ records: NodeRecord[]; total: number }> {
    return listNodeRecords(this.options.db, filter, page);
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
