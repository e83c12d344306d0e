import type { FieldErrors } from '@vantage/shared/validation.js';
import type { ErrorCode } from '../../../../http/error-table.js';
import type { ImportFormatName } from '../../../../import-words.js';
import type { PackedFile } from './packed-file.js';

/** A file for the thread that reads files. */
export interface FileRequest {
  readonly bytes: Uint8Array;
  /** Format of the file; null if it is to be detected. */
  readonly format: ImportFormatName | null;
}

/** A message of that thread: that it begins to read, then the file, or the error that its sender gets. */
export type FileReply =
  | { readonly isReading: true }
  | { readonly file: PackedFile }
  | { readonly refused: { readonly code: ErrorCode; readonly details: FieldErrors } };
