import { randomFillSync } from 'node:crypto';
import { systemClock } from './clock.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Length of the part after the prefix: 128 bits in base58. */
export const ID_BODY_LENGTH = 22;

/**
 * Regular expression source of the part after the prefix. 22 digits hold more than 128 bits, which would be of no instant:
 * the first is below Y, as it is until the year 10716.
 */
const ID_BODY = '[1-9A-HJ-NP-X][1-9A-HJ-NP-Za-km-z]{21}';
const idBody = new RegExp(`^${ID_BODY}$`);

/** The one list of id prefixes (API specification 2.1). */
export const idPrefixes = {
  probeTask: 'pt_',
  node: 'n_',
  user: 'u_',
  personalAccessToken: 'pat_',
  enrollmentToken: 'et_',
  session: 'ses_',
  passkey: 'pk_',
  identity: 'idn_',
  apiKey: 'key_',
  challenge: 'chl_',
  auditEntry: 'aud_',
  request: 'req_',
  replica: 'rep_',
  monitor: 'm_',
  monitorCheck: 'mc_',
  monitorEvent: 'mev_',
  event: 'evt_',
  webhookEndpoint: 'whe_',
  webhookDelivery: 'whd_',
  monitorGroup: 'mgr_',
  maintenanceWindow: 'mmw_',
  alertChannel: 'ch_',
  alertDelivery: 'ad_',
  alertPolicy: 'ap_',
  alertSilence: 'asl_',
  alertGroup: 'agr_',
  alertEvent: 'ae_',
  diagnoseReport: 'dg_',
  rollout: 'ro_',
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];

/**
 * A fresh id: prefix plus 22 base58 characters of a UUIDv7 (RFC 9562 section 5.7). Ids of one prefix sort by
 * creation to the millisecond when compared byte by byte (COLLATE "C"). `random`: ten bytes that were never used
 * before.
 */
export function newId(prefix: IdPrefix, nowMs: number = systemClock.now(), random = nextRandom()): string {
  const bytes = scratch;
  bytes.writeUIntBE(Math.floor(nowMs), 0, 6);
  bytes.set(random, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return prefix + encodeBase58(bytes);
}

/** The smallest id of `prefix` that could be made at or after `instantMs`: a bound for ranges and partitions. */
export function idLowerBound(prefix: IdPrefix, instantMs: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.floor(instantMs), 0, 6);
  return prefix + encodeBase58(bytes);
}

/** Time at which the id was created, milliseconds since the epoch, or null when it is not an id of `prefix`. */
export function idTimeMs(prefix: IdPrefix, id: string): number | null {
  if (!isId(prefix, id)) return null;
  let value = 0n;
  for (const character of id.slice(prefix.length)) value = value * 58n + BigInt(ALPHABET.indexOf(character));
  return Number(value >> 80n);
}

/** True if `text` is an id with `prefix` that `newId` could make, whether or not such an id was ever issued. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix) && idBody.test(text.slice(prefix.length));
}

/** Regular expression source of an id, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}${ID_BODY}$`;
}

/** Bytes of the id that is being made: each needs them only until its text is made. */
const scratch = Buffer.alloc(16);

const RANDOM_BYTES = 10;
const randomPool = new Uint8Array(RANDOM_BYTES * 256);
let randomUsed = randomPool.length;

/**
 * Ten bytes that were never used before, a view into a pool: one call to the generator costs as much as the rest of an
 * id.
 */
function nextRandom(): Uint8Array {
  if (randomUsed === randomPool.length) {
    randomFillSync(randomPool);
    randomUsed = 0;
  }
  randomUsed += RANDOM_BYTES;
  return randomPool.subarray(randomUsed - RANDOM_BYTES, randomUsed);
}

/** Every two digits, by their value: half as many divisions and texts. */
const PAIRS = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second));
/** 58^6: the largest power whose product with 2^16 a number holds exactly. */
const CHUNK = PAIRS.length ** 3;
const LIMBS = 8;

/** Base58 of 16 bytes, by long division of their 16-bit limbs: BigInt takes twice the time. */
function encodeBase58(bytes: Buffer): string {
  const limbs = new Array<number>(LIMBS);
  for (let at = 0; at < LIMBS; at++) limbs[at] = bytes.readUInt16BE(2 * at);
  let text = '';
  while (text.length < ID_BODY_LENGTH) {
    let rest = 0;
    for (let at = 0; at < LIMBS; at++) {
      const value = rest * 65_536 + (limbs[at] as number);
      const quotient = Math.floor(value / CHUNK);
      limbs[at] = quotient;
      rest = value - quotient * CHUNK;
    }
    text = encodeChunk(rest) + text;
  }
  return text.slice(-ID_BODY_LENGTH);
}

/** Six digits. */
function encodeChunk(value: number): string {
  const [above, last] = [Math.floor(value / PAIRS.length), value % PAIRS.length];
  return `${PAIRS[Math.floor(above / PAIRS.length)]}${PAIRS[above % PAIRS.length]}${PAIRS[last]}`;
}
