import { type SecretReach, secretReaches } from '@vantage/shared/monitor-types/secrets.js';
import type { Node } from '../../nodes/index.js';
import type { Settings } from './settings.js';
import type { MonitorRow } from './store.js';

/** Nodes that may get the sealed settings of a monitor; null if it has none. */
export function reachOf({
  config,
  sealed_secrets: sealed,
}: Pick<MonitorRow, 'config' | 'sealed_secrets'>): SecretReach | null {
  return sealed === null ? null : reachIn(config);
}

/** The reach that settings give to secrets. */
export function reachIn(config: Settings): SecretReach {
  // monitors older than the setting do not have it
  return secretReaches.find((reach) => reach === config['allow_secrets_on']) ?? 'trusted';
}

/** True if a reach admits nodes that another one does not. */
export function isWider(reach: SecretReach, other: SecretReach): boolean {
  return secretReaches.indexOf(reach) > secretReaches.indexOf(other);
}

/** True if a node is within the reach of secrets. `ownerId`: owner of the monitor. */
export function isWithin(
  reach: SecretReach | null,
  node: Pick<Node, 'ownerId' | 'isOwnerAdmin'>,
  ownerId: string | null,
): boolean {
  if (reach === null || reach === 'any' || node.ownerId === ownerId) return true;
  return reach === 'trusted' && node.isOwnerAdmin;
}

/** Settings as they are sent to nodes. */
export function withoutReach(config: Settings): Settings {
  const { allow_secrets_on: _, ...others } = config;
  return others;
}

/** Advice for a monitor with too few nodes within the reach of its secrets. */
export function tooFewWithin(reach: SecretReach): string {
  const whose = reach === 'own' ? 'yours' : 'yours or an administrator’s';
  const wider = reach === 'own' ? '"trusted" or "any"' : '"any"';
  return `"${reach}" admits nodes that are ${whose}; add or select such nodes, or send ${wider} to admit those of others`;
}
