import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import type { ByteReader } from './byte-reader.js';
import { BackupError } from './errors.js';

// A file of age (age-encryption.org/v1) with one passphrase, which `age --decrypt` opens, too:
//
//   age-encryption.org/v1
//   -> scrypt SALT LOG2N          16 bytes of salt
//   WRAPPED                       the file key, under a key that scrypt derives from the passphrase
//   --- MAC                       HMAC-SHA256 of the lines before, under a key derived from the file key
//   NONCE                         16 bytes; with the file key it makes the key of the payload
//   chunk, chunk, …, last chunk   64 KiB and 16 bytes of tag each; the nonce is a counter and a byte that marks the last one
//
// Chunks that are changed, swapped, removed or cut off at the end are recognised when they are read.

const VERSION = 'age-encryption.org/v1';
const CIPHER = 'chacha20-poly1305';
const TAG_BYTES = 16;
const FILE_KEY_BYTES = 16;
const CHUNK_BYTES = 65_536;
/** Rounds of scrypt as a power of two: half a second and 128 MiB. */
const LOG2_ROUNDS = 17;
/** More would take 2 GiB to open the file. */
const MAX_LOG2_ROUNDS = 20;
const MAX_HEADER_BYTES = 4_096;

/** Bytes of a file that holds `plain` encrypted with the passphrase. */
export async function* encrypted(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
  log2Rounds = LOG2_ROUNDS,
): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const salt = randomBytes(16);
  const wrapped = seal(await wrapKey(passphrase, salt, log2Rounds), Buffer.alloc(12), fileKey);
  const head = `${VERSION}\n-> scrypt ${unpadded(salt)} ${log2Rounds}\n${unpadded(wrapped)}\n---`;
  const nonce = randomBytes(16);
  yield Buffer.concat([Buffer.from(`${head} ${unpadded(macOf(fileKey, head))}\n`), nonce]);
  const key = payloadKey(fileKey, nonce);
  let counter = 0;
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of plain) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes <= CHUNK_BYTES) continue;
    let rest = Buffer.concat(waiting);
    // the last chunk is known only when the input ends: a full one waits
    for (; rest.length > CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES))
      yield seal(key, chunkNonce(counter++, false), rest.subarray(0, CHUNK_BYTES));
    waiting = [rest];
    bytes = rest.length;
  }
  yield seal(key, chunkNonce(counter, true), Buffer.concat(waiting));
}

/** Plain bytes of a file, each chunk once it is proven to be genuine. @throws BackupError */
export async function* decrypted(file: ByteReader, passphrase: string): AsyncGenerator<Buffer> {
  const fileKey = await openHeader(file, passphrase);
  const key = payloadKey(fileKey, await file.take(16));
  for (let counter = 0; ; counter++) {
    const chunk = await file.take(CHUNK_BYTES + TAG_BYTES);
    const isLast = await file.isAtEnd();
    const plain = open(key, chunkNonce(counter, isLast), chunk);
    if (plain === null) throw new BackupError('the file is damaged or was cut off; use another copy of it');
    yield plain;
    if (isLast) return;
  }
}

async function openHeader(file: ByteReader, passphrase: string): Promise<Buffer> {
  const no = () => new BackupError('the file is not a backup of vantage-control');
  const lines: string[] = [];
  for (let bytes = 0; lines.at(-1)?.startsWith('---') !== true; bytes += lines.at(-1)?.length ?? 0) {
    const line = bytes > MAX_HEADER_BYTES ? null : await file.line(MAX_HEADER_BYTES);
    if (line === null || (lines.length === 0 && line !== VERSION)) throw no();
    lines.push(line);
  }
  const [, stanza = '', wrapped = '', mac = ''] = lines;
  const [, salt = '', rounds = ''] = /^-> scrypt ([\w+/]{22}) ([1-9]\d?)$/.exec(stanza) ?? [];
  if (lines.length !== 4 || salt === '' || Number(rounds) > MAX_LOG2_ROUNDS) throw no();
  const key = await wrapKey(passphrase, Buffer.from(salt, 'base64'), Number(rounds));
  const fileKey = open(key, Buffer.alloc(12), Buffer.from(wrapped, 'base64'));
  if (fileKey === null) throw new BackupError('the passphrase is wrong');
  const expected = macOf(fileKey, `${lines.slice(0, 3).join('\n')}\n---`);
  const found = Buffer.from(mac.slice(4), 'base64');
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw no();
  return fileKey;
}

function wrapKey(passphrase: string, salt: Buffer, log2Rounds: number): Promise<Buffer> {
  const options = { N: 2 ** log2Rounds, r: 8, p: 1, maxmem: 2 ** (log2Rounds + 11) };
  const fullSalt = Buffer.concat([Buffer.from(`${VERSION}/scrypt`), salt]);
  return new Promise((resolve, reject) => {
    scrypt(passphrase, fullSalt, 32, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function macOf(fileKey: Buffer, head: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', fileKey, '', 'header', 32));
  return createHmac('sha256', key).update(head).digest();
}

function payloadKey(fileKey: Buffer, nonce: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', fileKey, nonce, 'payload', 32));
}

/** Eleven bytes of counter, of which six are used, and one that is 1 for the last chunk. */
function chunkNonce(counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function seal(key: Buffer, nonce: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | null {
  if (sealed.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
