import { oneLine } from '../../../mail/one-line.js';

/**
 * Defuses a name that a stranger may have chosen, so that no mail program turns it into a link. U+2024 looks like a full stop.
 */
export function givenName(name: string): string {
  const line = oneLine(name);
  const short = line.length > 64 ? `${line.slice(0, 63)}…` : line;
  return short.replaceAll('.', '\u2024').replaceAll('://', ': //').replaceAll('@', ' @ ');
}
