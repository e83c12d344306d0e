import type { FieldError } from '@vantage/shared/validation.js';

/** Why an entry of a file is no monitor: about a field as the file names it, or as the API does. */
export class EntryError extends Error {
  override readonly name = 'EntryError';

  constructor(
    readonly field: string,
    readonly code: FieldError['code'],
    message: string,
  ) {
    super(message);
  }
}

/** Something that could not be carried over as it was. */
export interface Note {
  /** As the file names it; null: about the file or the entry as a whole. */
  readonly field: string | null;
  readonly message: string;
}

/** A monitor as a format describes it. */
export interface DraftMonitor {
  /** What a POST of it would send, unchecked, the interval apart. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds between two checks that are wanted; null: what the type asks for. */
  readonly intervalSeconds: number | null;
  /** Name of its group; null: in none. */
  readonly group: string | null;
  readonly isPaused: boolean;
  /** Secrets that the file says it leaves out: paths in the config, the first dot divides. */
  readonly leftOut: readonly string[];
}

/** One entry of a file, in its place there. */
export interface Entry {
  /** In the list of the file, from 0. */
  readonly index: number;
  /** Null where it names none. */
  readonly name: string | null;
  readonly draft: DraftMonitor | EntryError;
  readonly notes: readonly Note[];
}

/** What a format makes of a whole file. */
export interface ParsedFile {
  readonly entries: readonly Entry[];
  /** About the file, or about entries of it that are no monitors. */
  readonly notes: readonly (Note & { readonly index: number | null })[];
}

/** Monitors of one file at most. */
export const MAX_ENTRIES = 10_000;

/** The same list, before anything is made of it. `field`: as the file names it. @throws EntryError when it is too long */
export function boundedList(list: readonly unknown[], field: string): readonly unknown[] {
  if (list.length <= MAX_ENTRIES) return list;
  throw new EntryError(field, 'length', `must not have more than ${MAX_ENTRIES} entries`);
}

/** Reads one entry; what is wrong with it is kept, and says nothing of the others. */
export function readEntry(index: number, name: string | null, read: (note: AddNote) => DraftMonitor): Entry {
  const notes: Note[] = [];
  const add: AddNote = (field, message) => {
    notes.push({ field, message });
  };
  try {
    return { index, name, draft: read(add), notes };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    return { index, name, draft: error, notes };
  }
}

/** Says that something of an entry is not carried over as it was. */
export type AddNote = (field: string | null, message: string) => void;
