import { escapeLabel } from './name.js';

/** The bytes are no DNS message, or the part that was read is not what its type says. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Octets of a name on the wire, its final zero included (RFC 1035 section 2.3.4). */
const MAX_NAME_BYTES = 255;
/** Greatest number of pointers in one name: every useful one has a label before it. */
const MAX_POINTERS = 127;

/** A name and what follows it. */
interface ReadName {
  /** Labels as text; empty for the root. */
  readonly text: string;
  /** Octets of the labels, uncompressed. */
  readonly bytes: number;
  /** Offset behind it. */
  readonly next: number;
}

/**
 * A cursor over a stretch of a DNS message. It never reads past `end`, except for names, which may point anywhere
 * before themselves in the message (RFC 1035 section 4.1.4). What is pointed at is read once per message: 65 535 bytes
 * can hold thousands of pointers to a name of 127 labels.
 */
export class WireReader {
  readonly #message: Buffer;
  readonly #end: number;
  readonly #names: Map<number, ReadName>;
  #offset = 0;

  constructor(message: Buffer, end = message.length, names = new Map<number, ReadName>()) {
    this.#message = message;
    this.#end = end;
    this.#names = names;
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

  /** All bytes up to the end. */
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
    return this.stretch(start, start + count);
  }

  /** A reader of its own from `start` to `end`, wherever this one stands. */
  stretch(start: number, end: number): WireReader {
    const reader = new WireReader(this.#message, end, this.#names);
    reader.#offset = start;
    return reader;
  }

  /**
   * A name as text without its final dot, `.` for the root. Every pointer must aim before the stretch it ends, so
   * that following them comes to an end.
   * @throws MalformedMessage for a loop, a name of over 255 octets, and labels of unknown kinds
   */
  domainName(): string {
    const { text, next } = this.#nameAt(this.#offset, { end: this.#end, pointers: 0 });
    this.#offset = next;
    return text === '' ? '.' : text;
  }

  #nameAt(start: number, { end, pointers }: { readonly end: number; readonly pointers: number }): ReadName {
    const labels: string[] = [];
    let bytes = 0;
    let position = start;
    for (;;) {
      const length = this.#octet(position, end);
      if ((length & 0xc0) === 0xc0) {
        const target = ((length & 0x3f) << 8) | this.#octet(position + 1, end);
        if (target >= start || pointers === MAX_POINTERS) throw new MalformedMessage('a name points nowhere');
        const tail = this.#pointedAt(target, pointers + 1);
        if (tail.text !== '') labels.push(tail.text);
        return checkedName({ text: labels.join('.'), bytes: bytes + tail.bytes, next: position + 2 });
      }
      if (length > 63) throw new MalformedMessage('a label of an unknown kind');
      position += 1;
      if (length === 0) return checkedName({ text: labels.join('.'), bytes, next: position });
      bytes += length + 1;
      if (position + length > end || bytes >= MAX_NAME_BYTES) throw new MalformedMessage('a name is too long');
      labels.push(escapeLabel(this.#message.subarray(position, position + length)));
      position += length;
    }
  }

  #pointedAt(target: number, pointers: number): ReadName {
    const known = this.#names.get(target);
    if (known !== undefined) return known;
    const name = this.#nameAt(target, { end: this.#message.length, pointers });
    this.#names.set(target, name);
    return name;
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

function checkedName(name: ReadName): ReadName {
  if (name.bytes >= MAX_NAME_BYTES) throw new MalformedMessage('a name of over 255 octets');
  return name;
}
