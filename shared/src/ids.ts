import { randomFillSync } from 'node:crypto';
import { systemClock } from './clock.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Length of the part after the prefix: 128 bits in base58. */
export const ID_BODY_LENGTH = 22;

/** The one list of id prefixes (API specification 2.1). */
export const idPrefixes = {
  probeTask: 'pt_',
  node: 'n_',
  user: 'u_',
  personalAccessToken: 'pat_',
  enrollmentToken: 'et_',
  session: 'ses_',
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
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];

/**
 * A fresh id: prefix plus 22 base58 characters of a UUIDv7 (RFC 9562 section 5.7). Ids of one prefix sort by
 * creation to the millisecond when compared byte by byte (COLLATE "C"). `random`: ten bytes that were never used
 * before.
 */
export function newId(prefix: IdPrefix, nowMs: number = systemClock.now(), random = nextRandom()): string {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(Math.floor(nowMs), 0, 6);
  bytes.set(random, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return prefix + encodeBase58((bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8));
}

/** The smallest id of `prefix` that could be made at or after `instantMs`: a bound for ranges and partitions. */
export function idLowerBound(prefix: IdPrefix, instantMs: number): string {
  return prefix + encodeBase58(BigInt(Math.floor(instantMs)) << 80n);
}

/** Time at which the id was created, milliseconds since the epoch, or null when it is not an id of `prefix`. */
export function idTimeMs(prefix: IdPrefix, id: string): number | null {
  if (!isId(prefix, id)) return null;
  let value = 0n;
  for (const character of id.slice(prefix.length)) value = value * 58n + BigInt(ALPHABET.indexOf(character));
  return Number(value >> 80n);
}

/** True if `text` has the form of an id with `prefix`, whether or not such an id was ever issued. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix) && /^[1-9A-HJ-NP-Za-km-z]{22}$/.test(text.slice(prefix.length));
}

/** Regular expression source of an id, for schemas. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}[1-9A-HJ-NP-Za-km-z]{22}$`;
}

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

/** The largest power of 58 that a number holds exactly: few long divisions instead of one for every digit. */
const CHUNK_DIGITS = 9;
const CHUNK = 58n ** BigInt(CHUNK_DIGITS);

function encodeBase58(value: bigint): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= CHUNK) text = encodeChunk(Number(rest % CHUNK)) + text;
  return text.slice(-ID_BODY_LENGTH).padStart(ID_BODY_LENGTH, '1');
}

function encodeChunk(value: number): string {
  let text = '';
  for (let rest = value, digit = 0; digit < CHUNK_DIGITS; digit++, rest = Math.floor(rest / 58)) {
    text = ALPHABET.charAt(rest % 58) + text;
  }
  return text;
}
