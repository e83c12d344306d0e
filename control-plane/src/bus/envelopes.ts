import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { type BusMessage, isBusMessage } from './bus.js';

// Format of messages, in UTF-8, on every bus:
//
//   {"from":"rep_…","at":1760000000000,"message":{"type":"jobs","ids":["pt_…"]},"mac":"…"}
//
// `mac` is HMAC-SHA256 (RFC 2104) under a key of the installation's secret, over the channel and the whole message:
// anyone with access to the message server, or to NOTIFY in the database, can neither forge a message nor send one to
// another channel. `at` grows with each message of a sender: a recorded message is not accepted a second time.

/**
 * Greatest size of an envelope; larger ones are not from a known version: UnsentMessages creates messages of at most
 * 8 000 bytes.
 */
export const MAX_PAYLOAD_BYTES = 65_536;
/** Greatest number of senders whose last message is remembered: every process is one. */
const MAX_SENDERS = 1_000;

/** Content of an envelope: a message, or a reason to skip it. */
export type Received =
  | { readonly kind: 'message'; readonly from: string; readonly message: BusMessage }
  /** Sent by a newer version with more in it, or received before. */
  | { readonly kind: 'unknown' }
  /** Not signed with the secret key. */
  | { readonly kind: 'foreign' };

interface EnvelopesOptions {
  readonly replicaId: string;
  /** The installation's, 32 bytes. */
  readonly secretKey: Uint8Array;
  readonly clock: Pick<Clock, 'now'>;
}

/** Signs what a replica sends, and opens what others signed. */
export class Envelopes {
  readonly #key: Buffer;
  /** Time when each sender sent its last received message. */
  readonly #heard = new Map<string, number>();
  #sentAt = 0;

  constructor(private readonly options: EnvelopesOptions) {
    this.#key = Buffer.from(hkdfSync('sha256', options.secretKey, '', 'vantage bus messages v1', 32));
  }

  /** A message as it travels on a channel. */
  seal(channel: string, message: BusMessage): string {
    const { replicaId: from, clock } = this.options;
    this.#sentAt = Math.max(this.#sentAt + 1, clock.now());
    const mac = this.#macOf([channel, from, this.#sentAt, message]).toString('base64url');
    return JSON.stringify({ from, at: this.#sentAt, message, mac });
  }

  /** Never throws. */
  open(channel: string, payload: string): Received {
    if (payload.length > MAX_PAYLOAD_BYTES) return { kind: 'foreign' };
    try {
      const { from, at, message, mac } = JSON.parse(payload);
      if (typeof from !== 'string' || typeof at !== 'number' || typeof mac !== 'string') return { kind: 'foreign' };
      const expected = this.#macOf([channel, from, at, message]);
      const given = Buffer.from(mac, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { kind: 'foreign' };
      if (!this.#isNew(from, at) || !isBusMessage(message)) return { kind: 'unknown' };
      return { kind: 'message', from, message: { type: message.type, ids: message.ids } };
    } catch {
      return { kind: 'foreign' };
    }
  }

  #macOf(parts: readonly unknown[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest();
  }

  #isNew(from: string, at: number): boolean {
    if (at <= (this.#heard.get(from) ?? 0)) return false;
    // deleted and added again: the oldest come first
    this.#heard.delete(from);
    this.#heard.set(from, at);
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MAX_SENDERS && oldest !== undefined) this.#heard.delete(oldest);
    return true;
  }
}
