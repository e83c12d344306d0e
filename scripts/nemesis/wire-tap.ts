// Frames of an agent's link, decoded from the bytes as they pass: a client's frames are masked, a server's are not.
//
//   HTTP head ──empty line──> frames: [FIN opcode][MASK length][length 2 or 8][mask 4][payload]      RFC 6455 section 5.2

/** Parses one direction of a WebSocket; returns whole binary messages. */
export class WireTap {
  readonly #onMessage: (payload: Buffer) => void;
  #buffer: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #parts: Buffer[] = [];

  constructor(onMessage: (payload: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  take(bytes: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes]);
    if (!this.#isUpgraded && !this.#passHead()) return;
    while (this.#takeFrame());
  }

  #passHead(): boolean {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.#isUpgraded = true;
    this.#buffer = this.#buffer.subarray(end + 4);
    return true;
  }

  #takeFrame(): boolean {
    const frame = parseFrame(this.#buffer);
    if (frame === null) return false;
    this.#buffer = this.#buffer.subarray(frame.length);
    // control frames may come between the parts of a message
    if (frame.opcode >= 8) return true;
    this.#parts.push(frame.payload);
    if (!frame.isFinal) return true;
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#onMessage(message);
    return true;
  }
}

interface WireFrame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  /** Length of the whole frame. */
  readonly length: number;
}

/** The frame that begins here; null while it is not all there. */
function parseFrame(bytes: Buffer): WireFrame | null {
  if (bytes.length < 2) return null;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2;
  const maskBytes = (second & 0x80) === 0 ? 0 : 4;
  if (bytes.length < headBytes + maskBytes) return null;
  const size = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  const length = headBytes + maskBytes + size;
  if (bytes.length < length) return null;
  const payload = Buffer.from(bytes.subarray(headBytes + maskBytes, length));
  if (maskBytes > 0) unmask(payload, bytes.subarray(headBytes, headBytes + 4));
  return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, payload, length };
}

function unmask(payload: Buffer, mask: Buffer): void {
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0);
}
