import { type ImportFormatName, importFormatNames } from '../../../../import-words.js';
import { EntryError, type ParsedFile } from '../entry/entry.js';
import { isRecord } from '../entry/fields.js';
import type { ImportFormat } from '../entry/format.js';
import { gatusFormat } from '../gatus/gatus-format.js';
import { kumaFormat } from '../kuma/kuma-format.js';
import { vantageFormat } from './vantage-format.js';

/** Formats by name. */
export const importFormats = {
  vantage: vantageFormat,
  'uptime-kuma': kumaFormat,
  gatus: gatusFormat,
} as const satisfies Record<ImportFormatName, ImportFormat>;

/**
 * Parses a file in the named format, or in the detected one.
 * @throws EntryError for an error in the file as a whole
 */
export function parseAs(
  file: unknown,
  asked: ImportFormatName | null,
): ParsedFile & { readonly format: ImportFormatName } {
  const bare = withoutEnvelope(file);
  if (!isRecord(bare)) throw new EntryError('body', 'type', 'must be an object, like every file of monitors');
  const format = asked ?? importFormatNames.find((name) => importFormats[name].recognises(bare));
  if (format === undefined) {
    const titles = importFormatNames.map((name) => importFormats[name].title).join(', ');
    throw new EntryError('format', 'not_supported', `cannot be detected from the file; supported formats: ${titles}`);
  }
  const parsed = importFormats[format].parse(bare);
  return { ...parsed, format };
}

/** Content of a file without the response envelope: the saved response of an export is accepted as a whole. */
function withoutEnvelope(file: unknown): unknown {
  return isRecord(file) && isRecord(file['data']) && 'request_id' in file ? file['data'] : file;
}
