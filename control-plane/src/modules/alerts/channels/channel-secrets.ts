import type { Sealer } from '../../../crypto/sealing.js';
import { type ChannelConfig, joinSecrets } from './channel-config.js';
import type { ChannelRow } from './channel-row.js';

/** Secrets of a channel for storage; null if it has none. */
export function sealSecrets(secrets: ChannelConfig, sealer: Sealer): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : sealer.seal(Buffer.from(JSON.stringify(secrets)));
}

/** Settings of a stored channel with their secrets. @throws SealBrokenError */
export function openConfig(
  { config, sealed_secrets: sealed }: Pick<ChannelRow, 'config' | 'sealed_secrets'>,
  sealer: Sealer,
): ChannelConfig {
  return sealed === null ? config : joinSecrets(config, JSON.parse(sealer.open(sealed).toString()));
}
