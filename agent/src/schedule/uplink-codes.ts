import type { CheckErrorCode } from '@vantage/shared/monitor-types/definition.js';

/** Reasons that this node's own network could be behind: nothing came back, or a router near it said no. */
const uplinkCodes: ReadonlySet<CheckErrorCode> = new Set<CheckErrorCode>([
  'dns_timeout',
  'dns_error',
  'dns_servfail',
  'tcp_timeout',
  'net_unreachable',
  'host_unreachable',
  'http_timeout',
  'timeout',
  'no_reply',
]);

/** True if a check that failed for this reason says nothing of its target while the node has no network. */
export function mayBeUplink(code: CheckErrorCode): boolean {
  return uplinkCodes.has(code);
}
