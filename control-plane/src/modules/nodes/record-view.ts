import type { Static } from 'typebox';
import { keyFingerprint } from '../../links/index.js';
import type { AdminNodeSchema, OwnNodeSchema } from './record-schema.js';
import type { NodeRecord } from './record-store.js';
import { nodeView, placesView } from './view.js';

/** A record as the node's owner sees it. */
export function ownNodeView(record: NodeRecord): Static<typeof OwnNodeSchema> {
  // only admins may learn that the address contradicts the declared place
  const { geo_mismatch: _mismatch, declared: _declared, derived: _derived, ...view } = nodeView(record, true, true);
  return {
    ...view,
    visibility: record.isPublic ? 'public' : 'private',
    hostname: record.hostname,
    version: record.agentVersion,
    os: record.os,
    arch: record.arch,
    connected_at: isoOrNull(record.connectedAt),
    last_seen_at: isoOrNull(record.vitals?.seenAt ?? null),
    spool: spoolOf(record),
    upgrade: upgradeOf(record),
    is_draining: record.isDraining,
    ban: banOf(record),
    version_refused: versionRefusedOf(record),
    key: {
      fingerprint: keyFingerprint(record.publicKey),
      changed_at: isoOrNull(record.keyChangedAt),
      rotation_requested_at: isoOrNull(record.rotationRequestedAt),
    },
  };
}

/** A node as admins see it. */
export type AdminNode = Static<typeof AdminNodeSchema>;

/** A record as admins see it. */
export function adminNodeView(record: NodeRecord): AdminNode {
  return {
    ...ownNodeView(record),
    ...placesView(record),
    owner: { user_id: record.ownerId, email: record.ownerEmail },
  };
}

function banOf({ bannedAt, banReason, isQuarantined }: NodeRecord) {
  return bannedAt === null ? null : { at: bannedAt.toISOString(), reason: banReason, is_quarantine: isQuarantined };
}

function versionRefusedOf({ versionRefused }: NodeRecord) {
  if (versionRefused === null) return null;
  const { asked, agent_version, at } = versionRefused;
  return { asked: [...asked], agent_version, at: new Date(at).toISOString() };
}

function spoolOf({ vitals }: NodeRecord) {
  if (vitals === null) return null;
  const { rows, bytes, oldestMs, dropped, problem } = vitals.spool;
  return { rows, bytes, oldest_seconds: oldestMs / 1000, dropped_rows: dropped, problem };
}

function upgradeOf({ upgrade }: NodeRecord) {
  if (upgrade === null) return null;
  const { version, state, requestedAt, error: message } = upgrade;
  const error = state === 'failed' ? { code: 'NODE_UPGRADE_FAILED' as const, message: message ?? '' } : null;
  return { version, state, requested_at: requestedAt.toISOString(), error };
}

function isoOrNull(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
