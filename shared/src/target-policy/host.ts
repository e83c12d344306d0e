import { formatAddress, isCanonical, parseAddress } from './address.js';
import { checkPublicName, endsInNumber, parseName } from './names.js';
import { malformed, quoted, refused } from './target-error.js';

export { TargetError } from './target-error.js';

/** A host as all parts mean it: an address in canonical text (never IPv4-mapped), or a name in A-labels. */
export type Host =
  | { readonly kind: 'address'; readonly address: string; readonly family: 4 | 6 }
  | { readonly kind: 'name'; readonly name: string };

/**
 * Reads a host; IPv6 with or without brackets. Numbers in any but canonical form are refused, because other parsers
 * read them as other addresses. Which addresses may be probed is for TargetPolicy.
 * @throws TargetError
 */
export function parseHost(text: string, field = 'target'): Host {
  if (text === '') throw malformed(field, 'the host is empty');
  if (text.startsWith('-')) throw refused(field, `${quoted(text)} starts with a hyphen`);
  if (text.startsWith('[') && text.endsWith(']')) return parseIPv6(text.slice(1, -1), field);
  if (text.includes(':')) return parseIPv6(text, field);
  if (endsInNumber(text)) return parseIPv4(text, field);
  const name = parseName(text, field);
  checkPublicName(name, field);
  return { kind: 'name', name };
}

/**
 * Reads `h`, `h:80`, `[::1]:80` or `::1`; the port is null when absent.
 * @throws TargetError
 */
export function parseHostPort(text: string, field = 'target'): { host: Host; port: number | null } {
  const bracketed = /^(\[[^\]]*\])(?::(.*))?$/s.exec(text);
  const plain = /^([^:]*):([^:]*)$/s.exec(text);
  const [, hostText = text, portText = null] = bracketed ?? plain ?? [];
  return { host: parseHost(hostText, field), port: portText === null ? null : parsePort(portText, field) };
}

/** A host as it stands in a URL or before a port: IPv6 in brackets. */
export function formatHost(host: Host): string {
  if (host.kind === 'name') return host.name;
  return host.family === 6 ? `[${host.address}]` : host.address;
}

function parsePort(text: string, field: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw malformed(field, `${quoted(text)} is not a port from 1 to 65535`);
  return port;
}

function parseIPv4(text: string, field: string): Host {
  const address = parseAddress(text);
  if (address === null) throw refused(field, `${quoted(text)} is a number, but not an address in dotted decimal`);
  return { kind: 'address', address: formatAddress(address), family: address.family };
}

function parseIPv6(text: string, field: string): Host {
  const [unzoned = '', zone] = text.split('%', 2);
  const address = text.includes(':') ? parseAddress(unzoned) : null;
  if (address === null) throw malformed(field, `${quoted(text)} is not a host name or address`);
  if (zone !== undefined) throw refused(field, `${quoted(text)} has a zone`);
  if (!isCanonical(address, text)) throw refused(field, `${quoted(text)} must be written "${formatAddress(address)}"`);
  return { kind: 'address', address: formatAddress(address), family: address.family };
}
