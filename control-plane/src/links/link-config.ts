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
  /** How long a node goes on watching without hearing of this control plane. */
  readonly leaseSeconds: number;
}

/** The same as it goes over one link: where the agent connects from is an address of its own. */
export function configMessage(
  { ownAddresses, denied, canaries, controlUrls, ...numbers }: LinkConfig,
  peerAddress: string,
): NonNullable<ServerFrame['config']> {
  const own = isIP(peerAddress) === 0 ? ownAddresses : new Set([...ownAddresses, peerAddress]);
  const lists = { ownAddresses: [...own], denied: [...denied], canaries: [...canaries], controlUrls: [...controlUrls] };
  return { ...numbers, ...lists };
}
