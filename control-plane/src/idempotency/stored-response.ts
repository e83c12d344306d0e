import { compileSchema } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { bytesOf } from '../http/body-pieces.js';
import type { Rendered } from '../http/frame/idempotency.js';

// Layout before sealing: JSON of the head, a line feed (which JSON never has), the bytes of the body.

const Head = Type.Object({
  status: Type.Integer(),
  contentType: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
});
const checkHead = compileSchema(Head);

/** Everything of a response that is sent again. */
export function encodeResponse({ status, contentType, body, headers }: Rendered): Buffer {
  const head: Static<typeof Head> = { status, contentType, headers: { ...headers } };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytesOf(body)]);
}

/** @throws RangeError for bytes that are no response */
export function decodeResponse(bytes: Buffer): Rendered {
  const end = bytes.indexOf('\n');
  const head = checkHead(JSON.parse(bytes.toString('utf8', 0, end)));
  if (!head.ok) throw new RangeError(`stored response has a bad head: ${JSON.stringify(head.details)}`);
  return { ...head.value, body: bytes.subarray(end + 1) };
}
