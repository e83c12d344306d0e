/** Size in bytes up to which pieces are joined: that takes less time than sending them one by one. */
const JOIN_UP_TO_BYTES = 64 * 1024;

/** Body of a response that is sent piece by piece: joining it would delay all other requests. */
export class BodyPieces {
  readonly byteLength: number;

  constructor(readonly pieces: readonly Buffer[]) {
    this.byteLength = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}

export type ResponseBody = string | Buffer | BodyPieces;

/** Body of these pieces: one buffer if they are small together. */
export function bodyOf(pieces: readonly Buffer[]): Buffer | BodyPieces {
  const body = new BodyPieces(pieces);
  return body.byteLength <= JOIN_UP_TO_BYTES ? Buffer.concat(pieces) : body;
}

/** Size of a body in bytes. */
export function byteLengthOf(body: ResponseBody): number {
  return body instanceof BodyPieces ? body.byteLength : Buffer.byteLength(body);
}

/** All bytes of a body at once. */
export function bytesOf(body: ResponseBody): Buffer {
  if (body instanceof BodyPieces) return Buffer.concat(body.pieces);
  return typeof body === 'string' ? Buffer.from(body) : body;
}
