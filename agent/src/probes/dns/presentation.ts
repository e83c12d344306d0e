import type { DnsRecord } from '../../net/dns/message.js';
import { MalformedMessage } from '../../net/dns/wire-reader.js';
import { location } from './rdata/location.js';
import { plainPrinters } from './rdata/plain.js';
import { securityPrinters } from './rdata/security.js';
import { servicePrinters } from './rdata/service.js';
import { hex, type RdataPrinter } from './rdata/text.js';

const printers: ReadonlyMap<string, RdataPrinter> = new Map(
  Object.entries({ ...plainPrinters, ...securityPrinters, ...servicePrinters, LOC: location }),
);

/**
 * The data of a record in presentation format, as `dig +nosplit` prints them (RFC 1035 section 5.1); data that are not
 * what their type says, and types without a format of their own, as `\# length hex` (RFC 3597 section 5).
 */
export function presentData(record: DnsRecord): string {
  const print = printers.get(record.type);
  if (print !== undefined) {
    const data = record.data();
    try {
      const text = print(data);
      if (data.left === 0) return text;
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
    }
  }
  const bytes = record.data().rest();
  return `\\# ${bytes.length} ${hex(bytes)}`.trimEnd();
}
