import { hash } from 'node:crypto';

/** Number of rows and a checksum that does not depend on their order. */
export interface RowSum {
  readonly rows: number;
  /** Sum of the digests of all rows, 128 bits in hexadecimal. */
  readonly sum: string;
}

/** Counts rows of COPY, one per line, and adds up their digests (SHA-256, cut to 128 bits, four lanes of 32). */
export class RowCounter {
  #rows = 0;
  readonly #lanes = new Uint32Array(4);
  #rest: Buffer = Buffer.alloc(0);

  /** Adds bytes that may end inside of a row. */
  add(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      this.#addRow(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }

  get result(): RowSum {
    return { rows: this.#rows, sum: [...this.#lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('') };
  }

  #addRow(row: Buffer): void {
    this.#rows++;
    const digest = hash('sha256', row, 'buffer');
    for (let lane = 0; lane < 4; lane++) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + digest.readUInt32BE(lane * 4);
  }
}
