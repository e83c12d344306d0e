import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { maskRecipient } from '../deliveries/masking.js';

// A token is readable, and changing it in any way makes it invalid:
//
//   ae_… or ad_….ch_….<end, base 36>.<masked recipient, base64url>.<HMAC-SHA256 of all before, base64url>
//
// It gives the right to see one alert, or those of one digest (ad_…), and to acknowledge them, to anyone who has the message. It needs
// no storage.

const LIFE_MS = 7 * 86_400_000;

/** Right that a link in a message gives. */
export interface AcknowledgeRight {
  /** Id of an alert, or of a delivery: of a digest. */
  readonly subjectId: string;
  readonly channelId: string;
  /** Recipient of the message, masked; null if the channel has no recipients. */
  readonly recipient: string | null;
}

/** Links by which recipients of messages acknowledge alerts. */
export class AcknowledgeLinks {
  readonly #key: Buffer;

  /** `secretKey`: key of the installation, of which these links have their own part. */
  constructor(
    private readonly options: { readonly secretKey: Buffer; readonly publicUrl: string; readonly clock: Clock },
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', options.secretKey, '', 'vantage alert acknowledge links v1', 32));
  }

  /** Address for a recipient of a channel; valid for seven days. */
  url(subjectId: string, { id, recipient }: { readonly id: string; readonly recipient: string | null }): string {
    const { clock, publicUrl } = this.options;
    const masked = recipient === null ? '' : Buffer.from(maskRecipient(recipient)).toString('base64url');
    const signed = [subjectId, id, Math.floor((clock.now() + LIFE_MS) / 1_000).toString(36), masked].join('.');
    return new URL(`/a/${signed}.${this.#sign(signed)}`, publicUrl).href;
  }

  /** Right of a token; null if it is no token of this installation, or its time is over. */
  open(token: string): AcknowledgeRight | null {
    const end = token.lastIndexOf('.');
    const [signed, signature] = [token.slice(0, Math.max(0, end)), token.slice(end + 1)];
    if (!isEqual(signature, this.#sign(signed))) return null;
    const [subjectId, channelId, endsAt, masked] = signed.split('.');
    if (subjectId === undefined || channelId === undefined || endsAt === undefined || masked === undefined) return null;
    if (Number.parseInt(endsAt, 36) * 1_000 < this.options.clock.now()) return null;
    return { subjectId, channelId, recipient: masked === '' ? null : Buffer.from(masked, 'base64url').toString() };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
