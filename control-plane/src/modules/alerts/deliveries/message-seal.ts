import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Sealer } from '../../../crypto/sealing.js';
import type { Message } from '../types/message.js';

/** Message as it is stored: links in it act for anyone who has them. */
export function sealMessage(message: Message, sealer: Sealer): Buffer {
  return sealer.seal(deflateRawSync(JSON.stringify(message)));
}

/** @throws SealBrokenError */
export function openMessage(sealed: Uint8Array, sealer: Sealer): Message {
  // sealed by this program alone: it has the form that it was given
  return JSON.parse(inflateRawSync(sealer.open(sealed)).toString());
}
