import type { MplsEntry } from '@vantage/shared/probe-types/hops.js';

/** Characters of names and entries of label stacks in one result; hostile routers and zones can make any number. */
const maxNameLength = 24 * 1024;
const maxStackEntries = 600;

/** Remaining space for the optional parts of hops in a result. */
export class ResultRoom {
  readonly #names: ReadonlyMap<string, string>;
  #nameLength = maxNameLength;
  #stackEntries = maxStackEntries;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  /** The name of an address; null where there is none, or no room for it. */
  nameOf(address: string): string | null {
    const name = this.#names.get(address);
    if (name === undefined || name.length > this.#nameLength) return null;
    this.#nameLength -= name.length;
    return name;
  }

  /** A member `mpls` to spread; empty where there are no labels, or no room for them. */
  stack(entries: readonly MplsEntry[]): { mpls?: MplsEntry[] } {
    if (entries.length === 0 || entries.length > this.#stackEntries) return {};
    this.#stackEntries -= entries.length;
    return { mpls: [...entries] };
  }
}
