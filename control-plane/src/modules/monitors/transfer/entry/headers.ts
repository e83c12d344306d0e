import { isOwnHeader } from '@vantage/shared/target-policy/headers.js';
import { type AddNote, EntryError } from './entry.js';

/** Headers that ask for another protocol: a server may respond otherwise without them. */
const switching: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/**
 * Request headers that a monitor of a URL can have. Those of the connection are left out with a note, since nodes set their own.
 * @throws EntryError for a header without which the server might respond otherwise: another host, another protocol
 */
export function sendableHeaders(
  headers: Readonly<Record<string, string>>,
  url: string,
  note: AddNote,
): Record<string, string> {
  const sent = Object.entries(headers).filter(([name, value]) => {
    if (!isOwnHeader(name)) return true;
    const lowerName = name.toLowerCase();
    if (switching.has(lowerName))
      throw new EntryError(`headers.${name}`, 'not_supported', 'asks for another protocol, which nodes do not speak');
    if (lowerName === 'host' && !isHostOf(url, value))
      throw new EntryError(
        `headers.${name}`,
        'not_supported',
        'names another host than the URL: write that host into the URL, since nodes request the host of the URL',
      );
    note(`headers.${name}`, 'was not imported: nodes set it themselves');
    return false;
  });
  return Object.fromEntries(sent);
}

function isHostOf(url: string, host: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  const other = `${protocol}//${host.trim()}/`;
  return URL.canParse(other) && new URL(other).hostname === hostname && new URL(other).port === port;
}
