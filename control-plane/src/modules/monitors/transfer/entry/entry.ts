import type { FieldError } from '@vantage/shared/validation.js';
import { shortened, sizeOf } from './entry-size.js';

/** Reason why an entry of a file cannot be imported; `field` is named as in the file or the API. */
export class EntryError extends Error {
  override readonly name = 'EntryError';

  readonly field: string;

  constructor(
    field: string,
    readonly code: FieldError['code'],
    message: string,
  ) {
    super(shortened(message));
    this.field = shortened(field);
  }
}

/** Note about a setting that could not be imported unchanged. */
export interface Note {
  /** Name of the field in the file; null for the file or the entry as a whole. */
  readonly field: string | null;
  readonly message: string;
}

/** Monitor as read from a file. */
export interface DraftMonitor {
  /** Unchecked body of a POST of the monitor, without the interval. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Requested interval in seconds; null for the default of the type. */
  readonly intervalSeconds: number | null;
  /** Name of the group, or null. */
  readonly group: string | null;
  readonly isPaused: boolean;
  /** Secrets that the file declares as left out: paths in the config, of which only the first dot is a separator. */
  readonly leftOut: readonly string[];
}

/** Entry of a file. */
export interface Entry {
  /** Position in the file, from 0. */
  readonly index: number;
  readonly name: string | null;
  readonly draft: DraftMonitor | EntryError;
  readonly notes: readonly Note[];
}

/** Result of parsing a file. */
export interface ParsedFile {
  readonly entries: readonly Entry[];
  /** Notes about the file, or about entries that are not monitors. */
  readonly notes: readonly (Note & { readonly index: number | null })[];
}

/** Greatest number of monitors in a file. */
export const MAX_ENTRIES = 10_000;

/** Returns a list unchanged if it is not too long, before it is processed. `field`: name in the file. @throws EntryError if it is too long */
export function boundedList(list: readonly unknown[], field: string): readonly unknown[] {
  if (list.length <= MAX_ENTRIES) return list;
  throw new EntryError(field, 'length', `must not have more than ${MAX_ENTRIES} entries`);
}

/** Greatest number of values in a monitor, as in the body of any request. */
const MAX_VALUES = 2_000;
/** Greatest number of characters in all texts of a monitor. */
const MAX_TEXTS = 131_072;
/** Greatest number of notes about an entry, in addition to one with the number of those left out. */
const MAX_NOTES = 100;

/** Reads an entry; its error is kept in the result, and does not affect other entries. */
export function readEntry(index: number, written: string | null, read: (note: AddNote) => DraftMonitor): Entry {
  const name = written === null ? null : shortened(written);
  const notes: Note[] = [];
  let unsaid = 0;
  const add: AddNote = (field, message) => {
    if (notes.length === MAX_NOTES) unsaid += 1;
    else notes.push({ field: field === null ? null : shortened(field), message: shortened(message) });
  };
  try {
    const draft = boundedDraft(read(add));
    if (unsaid > 0) notes.push({ field: null, message: `${unsaid} more warnings about this entry were omitted` });
    return { index, name, draft, notes };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    return { index, name, draft: error, notes: [] };
  }
}

/** Draft of bounded size, which is validated quickly even if its file is large. @throws EntryError with the field that is too large */
function boundedDraft(draft: DraftMonitor): DraftMonitor {
  for (const [field, value] of [...Object.entries(draft.body), ['secrets_left_out', draft.leftOut] as const]) {
    const { values, texts } = sizeOf(value, MAX_VALUES);
    if (values > MAX_VALUES) throw new EntryError(field, 'length', `must not have more than ${MAX_VALUES} values`);
    if (texts > MAX_TEXTS) throw new EntryError(field, 'length', `must not have more than ${MAX_TEXTS} characters`);
  }
  return { ...draft, group: draft.group === null ? null : shortened(draft.group) };
}

/** Adds a note about a setting of an entry that was not imported unchanged. */
export type AddNote = (field: string | null, message: string) => void;
