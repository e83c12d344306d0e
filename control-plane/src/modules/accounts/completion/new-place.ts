import { addressKey } from '../../../limits/caller-networks.js';
import type { ClientInfo } from '../sessions/sessions.js';

/** True if no earlier session came from this network with this program, whatever its version; never for the first session. */
export function isNewPlace(client: ClientInfo, earlier: readonly ClientInfo[]): boolean {
  const place = placeOf(client);
  return earlier.length > 0 && earlier.every((other) => placeOf(other) !== place);
}

function placeOf({ address, userAgent }: ClientInfo): string {
  return `${addressKey(address)} ${(userAgent ?? '').slice(0, 500).replaceAll(/[\d._]+/g, '')}`;
}
