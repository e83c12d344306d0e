/** Types of HTTP/2 frames (RFC 9113 section 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const END_STREAM = 1;
export const END_HEADERS = 4;
/** Header block of `:status: 200`, from the static table of HPACK (RFC 7541 appendix A). */
export const STATUS_200 = Buffer.from([0x88]);

/** One HTTP/2 frame as it travels, well-formed or not (RFC 9113 section 4.1). */
export function h2Frame(
  type: number,
  { flags = 0, stream = 0, payload = Buffer.alloc(0) }: { flags?: number; stream?: number; payload?: Buffer } = {},
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The settings every server begins with. */
export const serverPreface = h2Frame(frameTypes.settings);

/** A header as HPACK writes it without tables or Huffman codes (RFC 7541 section 6.2.2). */
export function literalHeader(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), hpackString(name), hpackString(value)]);
}

/** HEADERS of the client's first stream, complete in this frame. */
export function h2Head(block: Buffer, flags = END_HEADERS): Buffer {
  return h2Frame(frameTypes.headers, { flags, stream: 1, payload: block });
}

/** DATA of the client's first stream. */
export function h2Data(text: string, flags = 0): Buffer {
  return h2Frame(frameTypes.data, { flags, stream: 1, payload: Buffer.from(text, 'latin1') });
}

/** A 32-bit number, as RST_STREAM, WINDOW_UPDATE and GOAWAY carry. */
export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}

function hpackString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length = [Math.min(bytes.length, 127)];
  if (bytes.length >= 127) {
    let rest = bytes.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
