import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import type { Viewer } from '../../http/viewer.js';
import { NodeActs } from './acts.js';
import type { NodeDirectory } from './directory.js';
import type { Enrollment } from './enrollment.js';
import type { EnrollmentTokens } from './enrollment-tokens.js';
import { isVisibleTo, type Node, type NodeStatus, statusOf } from './node.js';
import type { NodePlaces } from './node-places.js';
import { listNodeRecords, type NodeRecord, type RecordFilter } from './record-store.js';
import { type AdminNode, adminNodeView } from './record-view.js';
import { listNodesOfOwner, type NamedNode } from './store.js';

/** Filter for a list of nodes; undefined matches any. */
interface NodeFilter {
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  readonly asn?: number | undefined;
  readonly provider?: string | undefined;
  readonly status?: NodeStatus | undefined;
  readonly tag?: string | undefined;
  readonly capability?: string | undefined;
  /** Ignored unless the viewer is an admin: others must not learn which nodes have a mismatch. */
  readonly geo_mismatch?: boolean | undefined;
}

interface NodesOptions {
  readonly db: Knex;
  readonly directory: NodeDirectory;
  readonly places: NodePlaces;
  readonly enrollment: Enrollment;
  readonly enrollmentTokens: EnrollmentTokens;
}

/** The node directory; the acts of owners and admins on nodes; their places, and their enrollment. */
export class Nodes {
  readonly directory: NodeDirectory;
  readonly acts: NodeActs;
  readonly places: NodePlaces;
  readonly enrollment: Enrollment;
  readonly enrollmentTokens: EnrollmentTokens;

  constructor(private readonly options: NodesOptions) {
    this.directory = options.directory;
    this.acts = new NodeActs(options);
    this.places = options.places;
    this.enrollment = options.enrollment;
    this.enrollmentTokens = options.enrollmentTokens;
  }

  /** Lists the nodes that the viewer may see, newest first; banned ones only for admins. */
  list(viewer: Viewer, filter: NodeFilter): Node[] {
    return [...this.directory.all()]
      .filter((node) => isVisibleTo(node, viewer) && (viewer.isAdmin || !node.isBanned) && passes(node, filter))
      .filter((node) => !viewer.isAdmin || (filter.geo_mismatch ?? node.hasGeoMismatch) === node.hasGeoMismatch)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** Returns a node that the viewer may see. @throws ApiError NODE_NOT_FOUND */
  get(viewer: Viewer, id: string): Node {
    const node = this.directory.find(id);
    if (!node || !isVisibleTo(node, viewer) || (node.isBanned && !viewer.isAdmin)) throw new ApiError('NODE_NOT_FOUND');
    return node;
  }

  /** Lists the names of an owner's nodes, oldest first, in the caller's transaction. */
  listOfOwner(trx: Knex, ownerId: string): Promise<NamedNode[]> {
    return listNodesOfOwner(trx, ownerId);
  }

  /** Reads a node of an owner (null for any owner) from the database. @throws ApiError NODE_NOT_FOUND */
  async record(id: string, ownerId: string | null): Promise<NodeRecord> {
    const { records } = await this.listRecords({ id, ownerId }, { limit: 1, offset: 0 });
    const [record] = records;
    if (record === undefined) throw new ApiError('NODE_NOT_FOUND');
    return record;
  }

  /** Reads one page of nodes from the database, newest first, with their total number. */
  listRecords(
    filter: RecordFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ records: NodeRecord[]; total: number }> {
    return listNodeRecords(this.options.db, filter, page);
  }

  /** Reads a node of any owner as admins see it. @throws ApiError NODE_NOT_FOUND */
  async describe(id: string): Promise<AdminNode> {
    return adminNodeView(await this.record(id, null));
  }

  /** Reads all nodes as admins see them, newest first. */
  async describeAll(): Promise<AdminNode[]> {
    const { records } = await this.listRecords({}, { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
    return records.map(adminNodeView);
  }
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
