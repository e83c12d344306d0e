import type { ParsedFile } from './entry.js';

/** Format of files that monitors are read from. */
export interface ImportFormat {
  /** Name of the format in messages. */
  readonly title: string;
  /** True if a file looks like this format, even with errors. */
  recognises(file: Readonly<Record<string, unknown>>): boolean;
  /** Parses a file; errors in single entries are part of the result. @throws EntryError for an error in the file as a whole */
  parse(file: Readonly<Record<string, unknown>>): ParsedFile;
}
