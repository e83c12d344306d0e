import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** Greatest size of a compressed answer. */
const MAX_BODY_BYTES = 256 * 1024;
/** Greatest size of an answer that was compressed, so that no row expands without end. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

const pack = promisify(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Compressed JSON of an answer; null if that is larger than 256 KiB. */
export async function packBody(body: object): Promise<Buffer | null> {
  const packed = await pack(JSON.stringify(body));
  return packed.length > MAX_BODY_BYTES ? null : packed;
}

/** Answer in a stored row. @throws Error if it is damaged */
export async function unpackBody(packed: Buffer): Promise<object> {
  return JSON.parse((await unpack(packed, { maxOutputLength: MAX_TEXT_BYTES })).toString());
}
