import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { closedLoop, type Load, LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { startAskedSite } from './asked-site.js';
import type { SourcePorts } from './sources.js';

const SECONDS = sized(3, 0.1);
const IN_FLIGHT = 16;
const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';
const FILE = 'geo-whois-asn-country.mmdb';
const folder = dirname(fileURLToPath(import.meta.url));

/** Lookups that are answered from memory, and domain combination, which computes its answer. */
export const warm: LinkComparison = {
  name: 'warm',
  title: 'lookups that are answered from memory',
  question: 'Does a lookup that needs no node reach 0.7 of a bare Koa, and 3 ms?',
  method: ({ rounds }) =>
    `over HTTP, anonymous, with a limit that is counted and not reached; the ip lookup with ${IN_FLIGHT} requests in flight beside a bare Koa that answers {"ok":true}; the others one at a time; ${rounds} rounds of ${SECONDS} s after 1 s that is not counted, in turns`,
  async run({ rounds }) {
    const directory = mkdtempSync(join(tmpdir(), 'vantage-bench-'));
    const source = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
    copyFileSync(join(source, FILE), join(directory, FILE));
    const koa = fork(join(folder, '..', 'servers.js'), ['koa']);
    const sources = fork(join(folder, 'sources.js'));
    try {
      const [{ port: koaPort }] = (await once(koa, 'message')) as [{ port: number }];
      const [ports] = (await once(sources, 'message')) as [SourcePorts];
      return await measure({ directory, koaUrl: `http://127.0.0.1:${koaPort}`, ports, rounds });
    } finally {
      for (const child of [koa, sources]) if (child.connected) child.disconnect();
      rmSync(directory, { recursive: true });
    }
  },
};

interface Setting {
  readonly directory: string;
  readonly koaUrl: string;
  readonly ports: SourcePorts;
  readonly rounds: number;
}

/** Paths of answers that stand in the cache once they were asked for. */
function singles({ web }: SourcePorts): Readonly<Record<string, string>> {
  const spec = {
    slots: Array.from({ length: 4 }, () => ({ kind: 'letter', variant: 'single' })),
    tlds: ['com', 'net', 'org'],
    cap: 1_000,
  };
  return {
    dns: '/v1/info/dns?q=warm.example',
    whois: '/v1/info/whois?q=warm.example',
    ssl: `/v1/info/ssl?q=warm.example&port=${web}`,
    headers: `/v1/info/headers?q=${encodeURIComponent(`https://warm.example:${web}/`)}`,
    reputation: '/v1/ip/reputation?q=1.1.1.1',
    'domain combination': `/domain-combo/preview?spec=${encodeURIComponent(JSON.stringify(spec))}`,
  };
}

async function measure({ directory, koaUrl, ports, rounds }: Setting): Promise<LinkRow[]> {
  const site = await startAskedSite({
    agents: 1,
    controlPlane: { VANTAGE_GEOIP_DIR: directory, VANTAGE_REPUTATION_LISTS: writeLists(directory) },
    agent: {
      VANTAGE_DNS_SERVERS: `127.0.0.1:${ports.dns}`,
      VANTAGE_WHOIS_SERVERS: `example=127.0.0.1:${ports.whois}`,
      VANTAGE_RDAP_BOOTSTRAP: `http://127.0.0.1:${ports.bootstrap}/dns.json`,
    },
  });
  const [many, bare, one] = [
    new LoadClient(site.url, IN_FLIGHT),
    new LoadClient(koaUrl, IN_FLIGHT),
    new LoadClient(site.url, 1),
  ];
  try {
    const loads: Record<string, Load[]> = {};
    const keep = async (name: string, load: Promise<Load>) => (loads[name] ??= []).push(await load);
    let asked = 0;
    for (let round = 0; round < rounds; round += 1) {
      await keep(
        'koa',
        closedLoop(() => bare.get('/'), IN_FLIGHT, SECONDS),
      );
      await keep(
        'ip',
        closedLoop(() => many.get('/v1/info/ip?q=1.1.1.1'), IN_FLIGHT, SECONDS),
      );
      // each from another address, for some limits are of an address whatever the plan
      for (const [name, path] of Object.entries(singles(ports)))
        await keep(
          name,
          closedLoop(() => one.get(path, from(asked++)), 1, SECONDS),
        );
    }
    return rowsOf(loads);
  } finally {
    for (const client of [many, bare, one]) await client.close();
    await site.stop();
  }
}

/** A file with one list. @returns its path */
function writeLists(directory: string): string {
  const [file, lists] = [join(directory, 'ranges.txt'), join(directory, 'lists.json')];
  writeFileSync(file, '1.1.1.0/24\n');
  writeFileSync(lists, JSON.stringify([{ name: 'ranges', signal: 'hosting', format: 'cidrs', file }]));
  return lists;
}

function from(n: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `203.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` };
}

function rowsOf(loads: Readonly<Record<string, readonly Load[]>>): LinkRow[] {
  const of = (name: string, read: (load: Load) => number) => figureOf((loads[name] ?? []).map(read));
  const [ours, koa] = [of('ip', (load) => load.perSecond), of('koa', (load) => load.perSecond)];
  const { ip: _, koa: __, ...rest } = loads;
  return [
    {
      what: 'ip, requests a second',
      ours: figureText(ours, 0),
      baseline: `bare Koa: ${figureText(koa, 0)}`,
      ratio: (ours.median / koa.median).toFixed(2),
      goal: 'at least 0.7',
    },
    ...Object.keys(rest).map((name) => ({
      what: `${name}, p95, ms`,
      ours: figureText(of(name, (load) => load.p95)),
      baseline: '',
      ratio: '',
      goal: name === 'domain combination' ? 'at most 2' : 'at most 3',
    })),
  ];
}
