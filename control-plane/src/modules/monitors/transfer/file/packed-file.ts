import { deserialize, serialize } from 'node:v8';
import type { ImportFormatName } from '../../../../import-words.js';
import { type DraftMonitor, type Entry, EntryError, type ParsedFile } from '../entry/entry.js';
import { sizeOf } from '../entry/entry-size.js';

/** Parsed file of monitors as its thread passes it on: in packs that are opened one after another. */
export interface PackedFile {
  readonly format: ImportFormatName;
  readonly notes: ParsedFile['notes'];
  /** Number of entries in all packs. */
  readonly total: number;
  readonly packs: readonly Uint8Array<ArrayBuffer>[];
}

/** Weight of a pack, beyond which the next entry begins another one: opening it takes about a millisecond. */
const PACK_WEIGHT = 65_536;
/** A value without its characters. */
const VALUE_WEIGHT = 16;

export function packed({ format, entries, notes }: ParsedFile & { readonly format: ImportFormatName }): PackedFile {
  const packs: Uint8Array<ArrayBuffer>[] = [];
  let pack: PlainEntry[] = [];
  let weight = 0;
  const close = () => {
    if (pack.length > 0) packs.push(new Uint8Array(serialize(pack)));
    [pack, weight] = [[], 0];
  };
  for (const entry of entries) {
    const plain = plainEntry(entry);
    const { values, texts } = sizeOf(plain, Number.POSITIVE_INFINITY);
    weight += values * VALUE_WEIGHT + texts;
    pack.push(plain);
    if (weight >= PACK_WEIGHT) close();
  }
  close();
  return { format, notes, total: entries.length, packs };
}

export function unpacked(pack: Uint8Array): Entry[] {
  return (deserialize(pack) as PlainEntry[]).map(({ index, name, notes, draft }) => {
    if (!('refused' in draft)) return { index, name, notes, draft };
    const { field, code, message } = draft.refused;
    return { index, name, notes, draft: new EntryError(field, code, message) };
  });
}

/** Entry as plain values. */
type PlainEntry = Omit<Entry, 'draft'> & {
  readonly draft: DraftMonitor | { readonly refused: Pick<EntryError, 'field' | 'code' | 'message'> };
};

function plainEntry(entry: Entry): PlainEntry {
  const { draft } = entry;
  if (!(draft instanceof EntryError)) return { ...entry, draft };
  const { field, code, message } = draft;
  return { ...entry, draft: { refused: { field, code, message } } };
}
