import { ApiError } from '../../../../http/errors.js';
import type { ImportFormatName } from '../../../../import-words.js';
import { EntryError } from '../entry/entry.js';
import { readFile, readJsonFile } from '../yaml/read-file.js';
import { parseAs } from './formats.js';
import { type PackedFile, packed } from './packed-file.js';

/**
 * Parses a file and packs its entries. `asked`: requested format; null if it is to be detected.
 * @throws ApiError for an error in the file as a whole
 */
export function parseFile(bytes: Buffer, asked: ImportFormatName | null): PackedFile {
  return packedAs(readFile(bytes), asked);
}

/** Same as `parseFile`, for JSON only; null if the file is not well-formed JSON. */
export function parseJsonFile(bytes: Buffer, asked: ImportFormatName | null): PackedFile | null {
  const value = readJsonFile(bytes);
  return value === undefined ? null : packedAs(value, asked);
}

function packedAs(value: unknown, asked: ImportFormatName | null): PackedFile {
  try {
    return packed(parseAs(value, asked));
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    const { field, code, message } = error;
    throw new ApiError('VALIDATION_FAILED', { details: { [field]: [{ code, message }] } });
  }
}
