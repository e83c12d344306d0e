import type { Knex } from 'knex';
import { queryPage } from '../../db/named.js';
import type { AgentSpool } from '../../links/index.js';
import { ownerIsAdmin } from '../../owners/index.js';
import type { Node, NodeStatus } from './node.js';
import { NODE_COLUMNS, type NodeRow, toNode } from './store.js';

/** A node with the fields that only its owner and admins see, from the database. */
export interface NodeRecord extends Node {
  readonly ownerEmail: string;
  readonly hostname: string;
  readonly agentVersion: string;
  readonly os: string;
  readonly arch: string;
  /** Raw Ed25519 public key. */
  readonly publicKey: Buffer;
  /** Null if the node enrolled with the key. */
  readonly keyChangedAt: Date | null;
  /** Time when its last link was opened; null if it has never connected. */
  readonly connectedAt: Date | null;
  /** Newest recorded heartbeat, or null. */
  readonly vitals: { readonly seenAt: Date; readonly spool: AgentSpool } | null;
}

interface RecordRow extends NodeRow {
  readonly owner_email: string;
  readonly hostname: string;
  readonly agent_version: string;
  readonly os: string;
  readonly arch: string;
  readonly public_key: Buffer;
  readonly key_changed_at: Date | null;
  readonly connected_at: Date | null;
  readonly seen_at: Date | null;
  readonly spool: AgentSpool | null;
}

/** Filter for a list of records; null or absent: any. */
export interface RecordFilter {
  readonly id?: string | null;
  readonly ownerId?: string | null;
  readonly status?: NodeStatus | null;
  readonly version?: string | null;
  readonly isQuarantined?: boolean | null;
  readonly hasGeoMismatch?: boolean | null;
}

/** Filter that all nodes pass. */
const ANY: Required<RecordFilter> = {
  id: null,
  ownerId: null,
  status: null,
  version: null,
  isQuarantined: null,
  hasGeoMismatch: null,
};

const COLUMNS = `${NODE_COLUMNS.split(/,\s*/)
  .map((column) => `n.${column}`)
  .join(
    ', ',
  )}, ${ownerIsAdmin('n')} AS is_owner_admin, u.email AS owner_email, n.hostname, n.agent_version, n.os, n.arch, n.public_key, n.key_changed_at,
  n.connected_at, v.seen_at, v.spool`;

// NOTE: keep consistent with statusOf in node.ts
const STATUS = `CASE WHEN n.banned_at IS NOT NULL OR n.quarantined_at IS NOT NULL THEN 'banned'
  WHEN n.session_id IS NULL THEN 'offline' WHEN n.draining_at IS NOT NULL THEN 'draining' ELSE 'online' END`;

const CONDITIONS: Readonly<Record<keyof RecordFilter, string>> = {
  id: 'n.id = :id',
  ownerId: 'n.owner_id = :ownerId',
  version: 'n.agent_version = :version',
  status: `${STATUS} = :status`,
  isQuarantined: '(n.quarantined_at IS NOT NULL) = :isQuarantined',
  hasGeoMismatch: 'n.geo_mismatch = :hasGeoMismatch',
};

// only what is wanted is a condition: a plan that serves all filters would read all nodes for one id
function conditionsOf(wanted: Required<RecordFilter>): string {
  const names = Object.keys(CONDITIONS) as (keyof RecordFilter)[];
  return [
    'n.deleted_at IS NULL',
    ...names.filter((name) => wanted[name] !== null).map((name) => CONDITIONS[name]),
  ].join(' AND ');
}

/** Lists one page of records, newest first, with their total number. */
export async function listNodeRecords(
  db: Knex,
  filter: RecordFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ records: NodeRecord[]; total: number }> {
  const { limit, offset } = page;
  const wanted = { ...ANY, ...filter };
  const from = 'nodes n JOIN users u ON u.id = n.owner_id LEFT JOIN node_vitals v ON v.node_id = n.id';
  const query = { name: 'node-records', columns: COLUMNS, from, where: conditionsOf(wanted), orderBy: 'n.id DESC' };
  const { rows, total } = await queryPage<RecordRow>(db, query, { ...wanted, limit, offset });
  return { records: rows.map(toRecord), total };
}

function toRecord(row: RecordRow): NodeRecord {
  return {
    ...toNode(row),
    ownerEmail: row.owner_email,
    hostname: row.hostname,
    agentVersion: row.agent_version,
    os: row.os,
    arch: row.arch,
    publicKey: row.public_key,
    keyChangedAt: row.key_changed_at,
    connectedAt: row.connected_at,
    vitals: row.seen_at === null || row.spool === null ? null : { seenAt: row.seen_at, spool: row.spool },
  };
}
