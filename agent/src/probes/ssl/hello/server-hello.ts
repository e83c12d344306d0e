/** Server's reply to a ClientHello. */
export type HelloReply =
  | { readonly kind: 'hello'; readonly version: number; readonly suiteId: number }
  | { readonly kind: 'alert'; readonly description: number }
  /** Anything but TLS. */
  | { readonly kind: 'other' };

const ALERT = 21;
const HANDSHAKE = 22;
const SERVER_HELLO = 2;
/** type, length, version, random and the length of the session id. */
const FIXED_BYTES = 1 + 3 + 2 + 32 + 1;

/**
 * Reads the beginning of an answer: the version and suite of a ServerHello (RFC 5246 section 7.4.1.3), or an alert.
 * Null while more bytes are needed. A handshake may come in records as short as a byte.
 */
export function parseServerHello(bytes: Buffer): HelloReply | null {
  const messages: Buffer[] = [];
  for (let at = 0; bytes.length >= at + 5; ) {
    const type = bytes.readUInt8(at);
    const isTls = bytes.readUInt8(at + 1) === 3 && (type === ALERT || type === HANDSHAKE);
    if (!isTls) return { kind: 'other' };
    const record = bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3));
    if (type === ALERT) return record.length < 2 ? null : { kind: 'alert', description: record.readUInt8(1) };
    messages.push(record);
    at += 5 + bytes.readUInt16BE(at + 3);
  }
  return bytes.length > 0 && ![ALERT, HANDSHAKE].includes(bytes.readUInt8(0))
    ? { kind: 'other' }
    : parseHandshake(Buffer.concat(messages));
}

function parseHandshake(message: Buffer): HelloReply | null {
  if (message.length > 0 && message.readUInt8(0) !== SERVER_HELLO) return { kind: 'other' };
  if (message.length < FIXED_BYTES) return null;
  const suiteAt = FIXED_BYTES + message.readUInt8(FIXED_BYTES - 1);
  if (message.length < suiteAt + 2) return null;
  return { kind: 'hello', version: message.readUInt16BE(4), suiteId: message.readUInt16BE(suiteAt) };
}
