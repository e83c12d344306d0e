import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Node } from '../../src/modules/nodes/index.js';

/** An online public node of nowhere in particular that can do everything; what a test cares about it says. */
export function aNode(fields: Partial<Node> = {}): Node {
  return {
    id: newId(idPrefixes.node),
    ownerId: 'u_owner',
    name: 'node',
    isPublic: true,
    country: null,
    province: null,
    region: null,
    city: null,
    latitude: null,
    longitude: null,
    asn: null,
    isp: null,
    provider: null,
    declaredPlace: { country: null, province: null, region: null, city: null, asn: null, provider: null },
    derivedPlace: null,
    locationSource: 'declared',
    hasGeoMismatch: false,
    uptimePercent30d: null,
    tags: [],
    capabilities: ['icmp', 'icmp_echo'],
    enrolledAt: new Date(0),
    sessionId: 'ses_1',
    replicaId: 'rep_1',
    selfTest: null,
    isBanned: false,
    isQuarantined: false,
    banReason: null,
    bannedAt: null,
    isDeleted: false,
    rotationRequestedAt: null,
    versionRefused: null,
    upgrade: null,
    isDraining: false,
    updatedAt: new Date(0),
    revision: 1,
    ...fields,
  };
}
