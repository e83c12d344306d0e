import type { Static } from 'typebox';
import { type Node, type NodeSelfTest, statusOf } from './node.js';
import type { NodeSchema } from './schema.js';

/**
 * Public view of a node, with its self-test for its owner and admins. `isAdmin` adds the facts about its place and the reason
 * of a ban; the list of one's own nodes keeps only the reason.
 */
export function nodeView(node: Node, isAdmin = false, isOwner = false): Static<typeof NodeSchema> {
  return {
    id: node.id,
    name: node.name,
    country: node.country,
    province: node.province,
    region: node.region,
    city: node.city,
    lat: oneDecimal(node.latitude),
    lon: oneDecimal(node.longitude),
    asn: node.asn,
    isp: node.isp,
    provider: node.provider,
    status: statusOf(node),
    tags: [...node.tags],
    capabilities: [...node.capabilities],
    since: node.enrolledAt.toISOString(),
    uptime_percent_30d: node.uptimePercent30d,
    location_source: node.locationSource,
    ...((isAdmin || isOwner) && node.selfTest !== null ? { self_test: selfTestView(node.selfTest) } : {}),
    ...(isAdmin ? placesView(node) : {}),
    ...(isAdmin && node.isBanned && node.banReason !== null ? { ban_reason: node.banReason } : {}),
  };
}

/** Fields that admins need to judge the place of a node. */
export function placesView({ hasGeoMismatch, declaredPlace, derivedPlace }: Node) {
  const { country = null, province = null, city = null, asn = null, isp = null, provider = null } = derivedPlace ?? {};
  const derived = derivedPlace === null ? null : { country, province, city, asn, isp, provider };
  return { geo_mismatch: hasGeoMismatch, declared: { ...declaredPlace }, derived };
}

function oneDecimal(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 10) / 10;
}

function selfTestView({ finished_at, checks }: NodeSelfTest) {
  return { finished_at, checks: checks.map(({ name, status, detail }) => ({ name, status, detail })) };
}
