import type { ParsedFile } from './entry.js';

/** A kind of file that monitors are read from. */
export interface ImportFormat {
  /** What people call it. */
  readonly title: string;
  /** Whether a file looks like one, whatever is wrong with it. */
  recognises(file: Readonly<Record<string, unknown>>): boolean;
  /** Never throws for what is in single entries. @throws EntryError for what is wrong with the file as a whole */
  parse(file: Readonly<Record<string, unknown>>): ParsedFile;
}
