import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { laterTurn } from '../../../runtime/slices.js';

const PIECE_BYTES = 1024 * 1024;
/** The fastest level: lists of addresses lose half of their size by it. */
const LEVEL = 1;
const [deflateBytes, inflateBytes] = [promisify(deflate), promisify(inflate)];

/** A list as it is stored. */
export interface Packed {
  /** SHA-256 of the content. */
  readonly digest: Buffer;
  /** Parts of the content, each compressed. */
  readonly pieces: readonly Buffer[];
}

/** Compresses and hashes the content of a list, piece after piece. */
export async function packList(content: Buffer): Promise<Packed> {
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    const piece = content.subarray(at, at + PIECE_BYTES);
    hash.update(piece);
    pieces.push(await deflateBytes(piece, { level: LEVEL }));
    await laterTurn();
  }
  return { digest: hash.digest(), pieces };
}

/** Content of a stored piece. */
export function unpackPiece(piece: Buffer): Promise<Buffer> {
  return inflateBytes(piece, { maxOutputLength: PIECE_BYTES });
}
