import { isIP } from 'node:net';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';

/** Configuration that agents get with the welcome. */
export interface LinkConfig {
  readonly heartbeatMs: number;
  readonly busyHeartbeatMs: number;
  readonly ownAddresses: readonly string[];
  readonly denied: readonly string[];
  readonly canaries: readonly string[];
  /** Addresses of this control plane; none: agents keep those they know. */
  readonly controlUrls: readonly string[];
  /** Time for which a node continues to watch without contact to this control plane. */
  readonly leaseSeconds: number;
}

/** Configuration as it is sent over one link: the address that the agent connects from is one of its own. */
export function configMessage(
  { ownAddresses, denied, canaries, controlUrls, ...numbers }: LinkConfig,
  peerAddress: string,
): NonNullable<ServerFrame['config']> {
  const own = isIP(peerAddress) === 0 ? ownAddresses : new Set([...ownAddresses, peerAddress]);
  const lists = { ownAddresses: [...own], denied: [...denied], canaries: [...canaries], controlUrls: [...controlUrls] };
  return { ...numbers, ...lists };
}
