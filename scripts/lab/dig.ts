import { demand } from '@vantage/shared/_support/missing.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { Lab } from './lab.js';
import { serviceAddresses } from './topology.js';

/** One question that dig and the agent are both asked. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: ProbeSpecs['dns']['params']['record_type'];
  /** Address of the server. */
  readonly server: string;
  readonly dnssec?: boolean;
  readonly transport?: 'udp' | 'tcp';
}

/** Output of dig. */
export interface DigAnswer {
  readonly rcode: string | null;
  /** Owner, seconds, class, type and data, one blank between them, sorted. */
  readonly records: readonly string[];
  readonly queryMs: number | null;
}

const zone = serviceAddresses('zone');
const test = serviceAddresses('tld');

/** Every type there is in the zones of the lab, found and not found, small and too large for UDP, over both families. */
export const dnsQuestions: readonly DnsQuestion[] = [
  { name: 'www.lab.test', type: 'A', server: zone.v4 },
  { name: 'www.lab.test', type: 'A', server: zone.v6 },
  { name: 'www.lab.test', type: 'A', server: zone.v4, transport: 'tcp' },
  { name: 'www.lab.test', type: 'A', server: zone.v4, dnssec: true },
  { name: 'www.lab.test', type: 'AAAA', server: zone.v4 },
  { name: 'alias.lab.test', type: 'CNAME', server: zone.v4 },
  { name: 'alias.lab.test', type: 'A', server: zone.v4 },
  { name: 'chain1.lab.test', type: 'AAAA', server: zone.v4 },
  { name: 'dangling.lab.test', type: 'A', server: zone.v4 },
  { name: 'any.wild.lab.test', type: 'A', server: zone.v4, dnssec: true },
  { name: 'lab.test', type: 'MX', server: zone.v4 },
  { name: 'lab.test', type: 'TXT', server: zone.v4 },
  { name: 'txt.lab.test', type: 'TXT', server: zone.v4 },
  { name: 'long.lab.test', type: 'TXT', server: zone.v4 },
  { name: 'large.lab.test', type: 'TXT', server: zone.v4 },
  { name: 'many.lab.test', type: 'A', server: zone.v4 },
  { name: 'lab.test', type: 'NS', server: zone.v4 },
  { name: 'lab.test', type: 'SOA', server: zone.v4 },
  { name: 'lab.test', type: 'CAA', server: zone.v4 },
  { name: 'lab.test', type: 'DNSKEY', server: zone.v4 },
  { name: 'lab.test', type: 'DNSKEY', server: zone.v6, dnssec: true },
  { name: 'lab.test', type: 'DS', server: test.v4 },
  { name: 'lab.test', type: 'ANY', server: zone.v4, transport: 'tcp' },
  { name: '_sip._tcp.lab.test', type: 'SRV', server: zone.v4 },
  { name: 'www.lab.test', type: 'HTTPS', server: zone.v4 },
  { name: '_dns.resolver.lab.test', type: 'SVCB', server: zone.v4 },
  { name: '10.10.80.25.in-addr.arpa', type: 'PTR', server: zone.v4 },
  { name: 'nobody.lab.test', type: 'A', server: zone.v4 },
  { name: 'v4.lab.test', type: 'AAAA', server: zone.v4 },
  { name: 'example.org', type: 'A', server: zone.v4 },
];

/** Runs dig on the lab's `agent`. */
export async function askDig(lab: Lab, { name, type, server, dnssec, transport }: DnsQuestion): Promise<DigAnswer> {
  demand('dig');
  const switches = [dnssec === true ? '+dnssec' : '', transport === 'tcp' ? '+tcp' : ''].filter((text) => text !== '');
  const shown = ['+noall', '+answer', '+comments', '+stats', '+nosplit', '+noidnout', '+time=5', '+tries=1'];
  const output = await lab.exec('agent', 'dig', '-u', `@${server}`, ...shown, ...switches, name, type);
  const usec = /^;; Query time: (\d+) usec$/m.exec(output)?.[1];
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return {
    rcode: /status: (\w+)/.exec(output)?.[1] ?? null,
    records: lines.map((line) => line.trim().split(/\s+/).slice(0, 4).concat(dataOf(line)).join(' ')).sort(),
    queryMs: usec === undefined ? null : Number(usec) / 1000,
  };
}

/** The records of a result as `askDig` gives those of dig. */
export function recordLines({ records }: ProbeResults['dns']): string[] {
  return records.map(({ name, ttl, class: of, type, value }) => `${name}. ${ttl} ${of} ${type} ${value}`).sort();
}

/** Blanks inside of data count. */
function dataOf(line: string): string {
  return /^\S+\s+\S+\s+\S+\s+\S+\s+(.*)$/.exec(line)?.[1] ?? '';
}
