import { escapeLabel } from './name.js';

/** The bytes are no DNS message, or the part that was read is not what its type says. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Octets of a name on the wire, its final zero included (RFC 1035 section 2.3.4). */
const MAX_NAME_BYTES = 255;

/**
 * A cursor over a stretch of a DNS message. It never reads past `end`, except for names, which may point anywhere
 * before themselves in the message (RFC 1035 section 4.1.4).
 */
export class WireReader {
  readonly #message: Buffer;
  readonly #end: number;
  #offset: number;

  constructor(message: Buffer, offset = 0, end = message.length) {
    this.#message = message;
    this.#offset = offset;
    this.#end = end;
  }

  get offset(): number {
    return this.#offset;
  }

  get left(): number {
    return this.#end - this.#offset;
  }

  /** @throws MalformedMessage when fewer than `count` bytes are left */
  bytes(count: number): Buffer {
    const start = this.#advance(count);
    return this.#message.subarray(start, start + count);
  }

  /** Everything up to the end. */
  rest(): Buffer {
    return this.bytes(this.left);
  }

  u8(): number {
    return this.#message.readUInt8(this.#advance(1));
  }

  u16(): number {
    return this.#message.readUInt16BE(this.#advance(2));
  }

  u32(): number {
    return this.#message.readUInt32BE(this.#advance(4));
  }

  /** A character-string: one octet of length, then as many bytes (RFC 1035 section 3.3). */
  characterString(): Buffer {
    return this.bytes(this.u8());
  }

  /** A part of its own: reading it never leaves the next `count` bytes. */
  part(count: number): WireReader {
    const start = this.#advance(count);
    return new WireReader(this.#message, start, start + count);
  }

  /**
   * A name as text without its final dot, `.` for the root. Every pointer must aim before the stretch it ends, so
   * that following them comes to an end.
   * @throws MalformedMessage for a loop, a name of over 255 octets, and labels of unknown kinds
   */
  domainName(): string {
    const labels: string[] = [];
    let total = 1;
    let position = this.#offset;
    let stretchStart = position;
    let end = this.#end;
    let isFollowing = false;
    for (;;) {
      const length = this.#octet(position, end);
      if ((length & 0xc0) === 0xc0) {
        const target = ((length & 0x3f) << 8) | this.#octet(position + 1, end);
        if (!isFollowing) this.#offset = position + 2;
        if (target >= stretchStart) throw new MalformedMessage('a name points forward');
        position = target;
        stretchStart = target;
        end = this.#message.length;
        isFollowing = true;
        continue;
      }
      if (length > 63) throw new MalformedMessage('a label of an unknown kind');
      position += 1;
      if (length === 0) break;
      total += length + 1;
      if (total > MAX_NAME_BYTES) throw new MalformedMessage('a name of over 255 octets');
      if (position + length > end) throw new MalformedMessage('a label is cut');
      labels.push(escapeLabel(this.#message.subarray(position, position + length)));
      position += length;
    }
    if (!isFollowing) this.#offset = position;
    return labels.length === 0 ? '.' : labels.join('.');
  }

  #octet(position: number, end: number): number {
    const octet = position < end ? this.#message[position] : undefined;
    if (octet === undefined) throw new MalformedMessage('a name is cut');
    return octet;
  }

  #advance(count: number): number {
    const start = this.#offset;
    if (count > this.left) throw new MalformedMessage(`${count} bytes expected, ${this.left} left`);
    this.#offset = start + count;
    return start;
  }
}
