import { TextDecoder } from 'node:util';

/** Name of the encoding that has this label, in letters of any case and with blanks around it (Encoding standard, 4.2); null for one that is not known. */
export function encodingNamed(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** As `encodingNamed`, of a label that a document declares in itself. */
export function encodingDeclared(label: string): string | null {
  const encoding = encodingNamed(label);
  // the declaration itself was readable, so the encoding is a superset of ASCII, which UTF-16 is not
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}
