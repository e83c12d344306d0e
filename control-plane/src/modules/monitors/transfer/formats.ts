import { type ImportFormatName, importFormatNames } from '../../../import-words.js';
import { EntryError, type ParsedFile } from './entry.js';
import { isRecord } from './fields.js';
import type { ImportFormat } from './format.js';
import { gatusFormat } from './gatus-format.js';
import { kumaFormat } from './kuma-format.js';
import { vantageFormat } from './vantage-format.js';

/** How each kind of file is read. */
export const importFormats = {
  vantage: vantageFormat,
  'uptime-kuma': kumaFormat,
  gatus: gatusFormat,
} as const satisfies Record<ImportFormatName, ImportFormat>;

/**
 * Reads a file as the format that is named, or as the one it looks like.
 * @throws EntryError for what is wrong with it as a whole
 */
export function parseAs(
  file: unknown,
  asked: ImportFormatName | null,
): ParsedFile & { readonly format: ImportFormatName } {
  const bare = withoutEnvelope(file);
  if (!isRecord(bare)) throw new EntryError('body', 'type', 'must be an object: no file of monitors is anything else');
  const format = asked ?? importFormatNames.find((name) => importFormats[name].recognises(bare));
  if (format === undefined) {
    const titles = importFormatNames.map((name) => importFormats[name].title).join(', ');
    throw new EntryError('format', 'not_supported', `cannot be told from the file; there are ${titles}`);
  }
  const parsed = importFormats[format].parse(bare);
  return { ...parsed, format };
}

/** The whole answer of the export, saved as it came, will do. */
function withoutEnvelope(file: unknown): unknown {
  return isRecord(file) && isRecord(file['data']) && 'request_id' in file ? file['data'] : file;
}
