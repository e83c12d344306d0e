import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startNameServer } from '../demo/name-server.js';
import { DOMAIN } from '../demo/names.js';
import { type Part, rowOf, type Stops, sized } from './harness.js';
import { closedLoop, type Load, LoadClient } from './load.js';
import { ControlPlane, startAgent, startServer, UNREACHED, untilOnline } from './programs.js';

const SECONDS = sized(3, 0.1);
const IN_FLIGHT = 16;
const LOOPBACK = '127.0.0.0/8';
const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';
const FILE = 'geo-whois-asn-country.mmdb';

const combination = {
  slots: Array.from({ length: 4 }, () => ({ kind: 'letter', variant: 'single' })),
  tlds: ['com', 'net', 'org'],
  cap: 1_000,
};
/** Paths of responses that need no node once they were requested. */
const singles: Readonly<Record<string, string>> = {
  dns: `/v1/info/dns?q=${DOMAIN}`,
  reputation: '/v1/ip/reputation?q=1.1.1.1',
  'domain combination': `/domain-combo/preview?spec=${encodeURIComponent(JSON.stringify(combination))}`,
};

/** Lookups that are answered from memory, and domain combination, which computes its response. */
export const lookups: Part = {
  name: 'lookups',
  question: 'Does a lookup that needs no node reach 0.7 of a bare Koa, and 3 ms?',
  title: 'lookups that are answered from memory',
  method: ({ rounds }) =>
    `over HTTP, anonymous, with a limit that is counted and not reached; the ip lookup with ${IN_FLIGHT} requests in flight, in turns with a bare Koa that answers {"ok":true}; the others one at a time; ${rounds} rounds of ${SECONDS} s after 1 s that is not counted, in turns`,
  async run({ rounds }, stops) {
    const url = await startStack(stops);
    const koa = await startServer('koa', stops);
    const client = (target: string, connections: number) => {
      const made = new LoadClient(target, connections);
      stops.push(() => made.close());
      return made;
    };
    const [many, bare, one] = [client(url, IN_FLIGHT), client(koa.url, IN_FLIGHT), client(url, 1)];
    const loads: Record<string, Load[]> = {};
    const measure = async (name: string, get: () => Promise<void>, inFlight: number) => {
      loads[name] ??= [];
      loads[name].push(await closedLoop(get, inFlight, SECONDS));
    };
    let asked = 0;
    for (let round = 0; round < rounds; round += 1) {
      await measure('koa', () => bare.get('/'), IN_FLIGHT);
      await measure('ip', () => many.get('/v1/info/ip?q=1.1.1.1'), IN_FLIGHT);
      // each from another address, for some limits are of an address whatever the plan
      for (const [name, path] of Object.entries(singles)) await measure(name, () => one.get(path, from(asked++)), 1);
    }
    const of = (name: string, figure: keyof Load) => (loads[name] ?? []).map((load) => load[figure]);
    return [
      rowOf('ip, requests a second', {
        ours: of('ip', 'perSecond'),
        baseline: of('koa', 'perSecond'),
        against: 'bare Koa',
        digits: 0,
        goal: 'at least 0.7',
      }),
      ...Object.keys(singles).map((name) => rowOf(`${name}, p95, ms`, { ours: of(name, 'p95'), goal: 'at most 3' })),
    ];
  },
};

/** A control plane with a database of places, one list of addresses and an agent. @returns its URL */
async function startStack(stops: Stops): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const source = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  await copyFile(join(source, FILE), join(directory, FILE));
  const [ranges, lists] = [join(directory, 'ranges.txt'), join(directory, 'lists.json')];
  await writeFile(ranges, '1.1.1.0/24\n');
  await writeFile(lists, JSON.stringify([{ name: 'ranges', signal: 'hosting', format: 'cidrs', file: ranges }]));
  const server = new ControlPlane({
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_ALLOW_TARGETS: LOOPBACK,
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
    VANTAGE_PLANS: JSON.stringify({ anonymous: { requests_per_minute: UNREACHED, node_tests_per_day: UNREACHED } }),
    VANTAGE_GEOIP_DIR: directory,
    VANTAGE_REPUTATION_LISTS: lists,
  });
  await server.start();
  stops.push(() => server.stop());
  const names = await startNameServer();
  stops.push(() => names.stop());
  const settings = { VANTAGE_ALLOW_TARGETS: LOOPBACK, VANTAGE_DNS_SERVERS: `127.0.0.1:${names.port}` };
  const account = { url: server.url, token: await server.createAdministrator() };
  await startAgent({ ...account, stateDir: join(directory, 'agent'), settings }, stops);
  await untilOnline(account, 1);
  return server.url;
}

function from(n: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `203.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` };
}
