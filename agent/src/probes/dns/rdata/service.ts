import { serviceKeys } from '@vantage/shared/record-values/mnemonics.js';
import { ipv6Text } from '../../../net/dns/record-data.js';
import { MalformedMessage, type WireReader } from '../../../net/dns/wire-reader.js';
import { escapeQuoted, fields, ipv4, name, quote, quoted, type RdataPrinter, u8, u16 } from './text.js';

const restQuoted: RdataPrinter = (data) => quote(data.rest());
const binding = fields(u16, name, serviceParams);

/** Records that name the servers of a service, or who may certify it. */
export const servicePrinters: Readonly<Record<string, RdataPrinter>> = {
  CAA: fields(u8, (data) => escapeQuoted(data.characterString()), restQuoted),
  HTTPS: binding,
  NAPTR: fields(u16, u16, quoted, quoted, quoted, name),
  SRV: fields(u16, u16, u16, name),
  SVCB: binding,
  URI: fields(u16, u16, restQuoted),
};

/** Printers of the values, by key; null for the key alone. Any other key's value is a quoted string. */
const valuePrinters: Readonly<Record<number, (value: WireReader) => string | null>> = {
  0: (value) => list(value, () => keyName(value.u16())),
  1: (value) => `"${list(value, () => escapeListed(value.characterString()))}"`,
  2: (value) => requireEmpty(value),
  3: (value) => String(value.u16()),
  4: (value) => list(value, () => ipv4(value)),
  5: (value) => value.rest().toString('base64'),
  6: (value) => list(value, () => ipv6Text(value.bytes(16))),
};

/** RFC 9460 section 2.2: keys in strictly ascending order, each with its length and value. */
function serviceParams(data: WireReader): string {
  const texts: string[] = [];
  let last = -1;
  while (data.left > 0) {
    const key = data.u16();
    if (key <= last) throw new MalformedMessage('service parameters out of order');
    last = key;
    texts.push(serviceParam(key, data.part(data.u16())));
  }
  return texts.join(' ');
}

function serviceParam(key: number, value: WireReader): string {
  const print = valuePrinters[key] ?? ((rest) => (rest.left === 0 ? null : quote(rest.rest())));
  const text = print(value);
  if (value.left > 0) throw new MalformedMessage('a service parameter is longer than its value');
  return text === null ? keyName(key) : `${keyName(key)}=${text}`;
}

function keyName(key: number): string {
  return serviceKeys[key] ?? `key${key}`;
}

function list(value: WireReader, next: () => string): string {
  const items: string[] = [];
  do items.push(next());
  while (value.left > 0);
  return items.join(',');
}

function requireEmpty(value: WireReader): null {
  if (value.left > 0) throw new MalformedMessage('a service parameter must not have a value');
  return null;
}

/** Inside a list a comma and a backslash are escaped once more (RFC 9460 appendix A.1). */
function escapeListed(bytes: Buffer): string {
  return escapeQuoted(bytes).replace(/\\\\|,/g, (found) => (found === ',' ? '\\\\,' : '\\\\\\\\'));
}
