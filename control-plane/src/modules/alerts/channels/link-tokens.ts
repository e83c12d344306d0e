import type { Sealer } from '../../../crypto/sealing.js';
import { SealBrokenError } from '../../../crypto/sealing.js';
import type { MessageMonitor } from '../types/message.js';

/** Right that a link in a mail gives: to confirm a recipient by its code, to unsubscribe it, or to stop its messages about a monitor. */
export interface LinkRight {
  readonly act: 'verify' | 'unsubscribe' | 'stop';
  readonly channelId: string;
  readonly to: string;
  /** Code for `verify`; otherwise empty. */
  readonly code: string;
  /** Present for `stop`; the name is cut. */
  readonly monitor?: MessageMonitor;
}

/** Token for a link: sealed, so that it shows neither recipient nor code. */
export function sealLink(right: LinkRight, sealer: Sealer): string {
  return sealer.seal(Buffer.from(JSON.stringify(right))).toString('base64url');
}

/** Right of a token; null if it is not a token for this act. */
export function openLink(token: string, act: LinkRight['act'], sealer: Sealer): LinkRight | null {
  try {
    const right: LinkRight = JSON.parse(sealer.open(Buffer.from(token, 'base64url')).toString());
    return right.act === act ? right : null;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
