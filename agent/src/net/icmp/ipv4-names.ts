const mostNames = 4096;

/** Spells IPv4 addresses, and remembers those it has spelt: answers come from the same few. */
export class Ipv4Names {
  readonly #names = new Map<number, string>();

  /** @param address 0 to 2^32 - 1 */
  nameOf(address: number): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    if (this.#names.size >= mostNames) this.#names.clear();
    const name = `${address >>> 24}.${(address >>> 16) & 0xff}.${(address >>> 8) & 0xff}.${address & 0xff}`;
    this.#names.set(address, name);
    return name;
  }
}
