import type { LinkNodeRow, LinkRecords, NewSession, SessionRow } from 'vantage-control/links/index.js';
import type { Node } from 'vantage-control/modules/nodes/index.js';
import type { ReplicaRow } from 'vantage-control/replicas/store.js';
import { laneNumbers, type NodeRow, type Tables, updateNode } from './tables.js';

// NOTE: models the SQL of control-plane/src/links/records/store.ts, modules/nodes/store.ts and replicas/store.ts;
// model.test.ts compares them on PostgreSQL.

/** findLinkNode */
export function findLinkNode(tables: Tables, nodeId: string): LinkNodeRow | null {
  const node = tables.nodes.get(nodeId);
  if (node === undefined) return null;
  return {
    id: node.id,
    public_key: node.publicKey,
    generation: node.generation,
    is_banned: node.bannedAt !== null,
    is_quarantined: node.quarantinedAt !== null,
    is_deleted: false,
  };
}

/** openSession */
export function openSession(tables: Tables, session: NewSession, nowMs: number): SessionRow | null {
  const node = tables.nodes.get(session.nodeId);
  if (node === undefined || isShutOut(node) || !node.publicKey.equals(session.publicKey)) return null;
  if (node.generation >= session.generation) return null;
  const { sessionId, replicaId, bootId, generation } = session;
  const opening = node.opening + 1;
  const bootOpening = node.bootId === bootId ? node.bootOpening : opening;
  const bootSeenAt = node.bootId === bootId ? (node.bootSeenAt ?? nowMs) : nowMs;
  const change = { bootSeenAt, sessionId, replicaId, bootId, opening, bootOpening, generation, lostAfter: null };
  const opened = updateNode(tables, node, change, nowMs);
  return { revision: opened.revision, boot_opening: bootOpening, is_upgraded: false };
}

/** closeSession */
export function closeSession(tables: Tables, nodeId: string, sessionId: string, graceMs: number, nowMs: number): void {
  const node = tables.nodes.get(nodeId);
  if (node === undefined || node.sessionId !== sessionId) return;
  const lostAfter = nowMs + (node.bannedAt === null ? graceMs : 0);
  updateNode(tables, node, { sessionId: null, replicaId: null, lostAfter }, nowMs);
}

/** quarantineNode */
export function quarantineNode(tables: Tables, nodeId: string, nowMs: number): void {
  const node = tables.nodes.get(nodeId);
  if (node !== undefined && node.quarantinedAt === null) updateNode(tables, node, { quarantinedAt: nowMs }, nowMs);
}

/** updateBan */
export function banNode(tables: Tables, nodeId: string, nowMs: number): boolean {
  const node = tables.nodes.get(nodeId);
  if (node === undefined || node.bannedAt !== null) return false;
  updateNode(tables, node, { bannedAt: nowMs }, nowMs);
  return true;
}

/** updateUnban */
export function unbanNode(tables: Tables, nodeId: string, nowMs: number): boolean {
  const node = tables.nodes.get(nodeId);
  if (node === undefined || !isShutOut(node)) return false;
  const generation = node.quarantinedAt === null ? node.generation : 0;
  updateNode(tables, node, { bannedAt: null, quarantinedAt: null, generation }, nowMs);
  return true;
}

/** ensureMarks */
export function ensureMarks(tables: Tables, nodeId: string, epoch: Uint8Array): { task: number; check: number } {
  const markOf = (lane: number): number => {
    const key = markKey(nodeId, epoch, lane);
    const mark = tables.marks.get(key) ?? 0;
    tables.marks.set(key, mark);
    return mark;
  };
  return { task: markOf(laneNumbers.task), check: markOf(laneNumbers.check) };
}

/** findLinks */
export function findLinks(
  tables: Tables,
  known: Parameters<LinkRecords['findLinks']>[0],
): Awaited<ReturnType<LinkRecords['findLinks']>> {
  return known.flatMap(({ nodeId, epoch }) => {
    const node = tables.nodes.get(nodeId);
    if (node === undefined) return [];
    const markOf = (lane: number) => tables.marks.get(markKey(nodeId, epoch, lane)) ?? 0;
    const marks = { task: markOf(laneNumbers.task), check: markOf(laneNumbers.check) };
    return [{ nodeId, generation: node.generation, marks }];
  });
}

/** Key of the mark of a lane. */
export function markKey(nodeId: string, epoch: Uint8Array, lane: number): string {
  return `${nodeId} ${Buffer.from(epoch).toString('hex')} ${lane}`;
}

/** upsertReplica */
export function upsertReplica(tables: Tables, { id, url, isDraining }: ReplicaRow, nowMs: number): ReplicaRow[] {
  tables.replicas.set(id, { url, isDraining, heartbeatAt: nowMs });
  return [...tables.replicas].map(([known, replica]) => ({
    id: known,
    url: replica.url,
    isDraining: replica.isDraining,
  }));
}

/** removeDeadReplicas */
export function removeDeadReplicas(tables: Tables, silentMs: number, graceMs: number, nowMs: number): string[] {
  for (const [id, { heartbeatAt }] of tables.replicas) if (heartbeatAt < nowMs - silentMs) tables.replicas.delete(id);
  const unlinked = [...tables.nodes.values()].filter(
    ({ replicaId }) => replicaId !== null && !tables.replicas.has(replicaId),
  );
  for (const node of unlinked) {
    updateNode(tables, node, { sessionId: null, replicaId: null, lostAfter: nowMs + graceMs }, nowMs);
  }
  return unlinked.map(({ id }) => id);
}

/** listShutOutLately */
export function listShutOutLately(tables: Tables, nowMs: number): string[] {
  const lately = [...tables.nodes.values()].filter((node) => node.updatedAt > nowMs - 10_000 && isShutOut(node));
  return lately.map(({ id }) => id);
}

const NO_PLACE = { country: null, province: null, region: null, city: null, asn: null, provider: null };

/** A row as the directory has it. */
export function toNode(row: NodeRow): Node {
  return {
    id: row.id,
    ownerId: 'u_owner',
    isOwnerAdmin: false,
    name: row.id,
    isPublic: true,
    ...NO_PLACE,
    latitude: null,
    longitude: null,
    isp: null,
    declaredPlace: NO_PLACE,
    derivedPlace: null,
    locationSource: 'declared',
    hasGeoMismatch: false,
    uptimePercent30d: null,
    tags: [],
    capabilities: [],
    selfTest: null,
    enrolledAt: new Date(0),
    sessionId: row.sessionId,
    replicaId: row.replicaId,
    leftAt: null,
    isBanned: isShutOut(row),
    isQuarantined: row.quarantinedAt !== null,
    banReason: null,
    bannedAt: row.bannedAt === null ? null : new Date(row.bannedAt),
    isDeleted: false,
    rotationRequestedAt: null,
    versionRefused: null,
    upgrade: null,
    isDraining: false,
    updatedAt: new Date(row.updatedAt),
    revision: row.revision,
  };
}

function isShutOut(node: NodeRow): boolean {
  return node.bannedAt !== null || node.quarantinedAt !== null;
}
