import { isIP } from 'node:net';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';

/** What agents are told with the welcome. */
export interface LinkConfig {
  readonly heartbeatMs: number;
  readonly busyHeartbeatMs: number;
  readonly ownAddresses: readonly string[];
  readonly denied: readonly string[];
  readonly canaries: readonly string[];
  /** Where this control plane can be reached; none: agents keep what they know. */
  readonly controlUrls: readonly string[];
}

/** The same as it goes over one link: where the agent connects from is an address of its own. */
export function configMessage(
  { heartbeatMs, busyHeartbeatMs, ownAddresses, denied, canaries, controlUrls }: LinkConfig,
  peerAddress: string,
): NonNullable<ServerFrame['config']> {
  const own = isIP(peerAddress) === 0 ? ownAddresses : new Set([...ownAddresses, peerAddress]);
  const lists = { ownAddresses: [...own], denied: [...denied], canaries: [...canaries], controlUrls: [...controlUrls] };
  return { heartbeatMs, busyHeartbeatMs, ...lists };
}
