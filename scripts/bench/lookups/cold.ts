import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import { lookedUpRecordTypes } from '@vantage/shared/probe-types/records.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { type Figure, figureOf, figureText, msOf } from '../statistics.js';
import { startAskedSite } from './asked-site.js';
import { DELAY_MS, type SourcePorts } from './sources.js';

const run = promisify(execFile);
const HOST = '127.0.0.1';
/** Questions of each kind in a round; a testssl takes seconds, so there is one of it. */
const QUESTIONS = sized(10, 1);

/** Lookups that nobody has asked before, beside the tool of the field. */
export const cold: LinkComparison = {
  name: 'cold',
  title: 'lookups that have to be asked',
  question: 'Do the first dns, whois and ssl lookups take little longer than dig, whois and testssl?',
  method: ({ rounds }) =>
    `one agent on loopback, sources that answer after ${DELAY_MS} ms; ${QUESTIONS} lookups of new names in each of ${rounds} rounds, in turns with the same question to dig, Debian's whois and testssl.sh (one a round); median time from request to answer`,
  async run({ rounds }) {
    demand('dig', 'whois', 'testssl');
    const { ports, stop } = await startSources();
    try {
      return await measure(ports, rounds);
    } finally {
      stop();
    }
  },
};

async function startSources(): Promise<{ readonly ports: SourcePorts; readonly stop: () => void }> {
  const child = fork(join(dirname(fileURLToPath(import.meta.url)), 'sources.js'));
  const [ports] = (await once(child, 'message')) as [SourcePorts];
  return { ports, stop: () => child.disconnect() };
}

async function measure(ports: SourcePorts, rounds: number): Promise<LinkRow[]> {
  const site = await startAskedSite({
    agents: 1,
    controlPlane: { VANTAGE_REGISTRY_RATES: `${HOST}:${ports.whois}=100000` },
    agent: {
      VANTAGE_DNS_SERVERS: `${HOST}:${ports.dns}`,
      VANTAGE_WHOIS_SERVERS: `example=${HOST}:${ports.whois}`,
      VANTAGE_RDAP_BOOTSTRAP: `http://${HOST}:${ports.bootstrap}/dns.json`,
    },
  });
  const client = new LoadClient(site.url, 1);
  try {
    let count = 0;
    const look = (kind: string, more = '') => {
      count += 1;
      return msOf(() => client.get(`/v1/info/${kind}?q=n${count}.example${more}`));
    };
    // the first of each kind opens connections and compiles, and counts for nobody
    for (const kind of ['dns', 'whois']) await look(kind);
    await look('ssl', `&port=${ports.web}`);
    const times = { dns: [] as number[], whois: [] as number[], ssl: [] as number[] };
    const theirs = { slowest: [] as number[], all: [] as number[], whois: [] as number[], testssl: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      for (let n = 0; n < QUESTIONS; n += 1) {
        times.dns.push(await look('dns'));
        const digs = await digAll(ports.dns, `d${round}-${n}.example`);
        theirs.slowest.push(Math.max(...digs));
        theirs.all.push(digs.reduce((sum, ms) => sum + ms, 0));
        times.whois.push(await look('whois'));
        theirs.whois.push(await msOf(() => whois(ports.whois, `w${round}-${n}.example`)));
        times.ssl.push(await look('ssl', `&port=${ports.web}`));
      }
      theirs.testssl.push(await msOf(() => testssl(ports.web)));
    }
    return rowsOf(times, theirs);
  } finally {
    await client.close();
    await site.stop();
  }
}

async function digAll(port: number, name: string): Promise<number[]> {
  const times: number[] = [];
  for (const type of lookedUpRecordTypes)
    times.push(await msOf(() => run('dig', [`@${HOST}`, '-p', String(port), '+noedns', name, type])));
  return times;
}

function whois(port: number, domain: string): Promise<unknown> {
  return run('whois', ['-h', HOST, '-p', String(port), domain]);
}

async function testssl(port: number): Promise<void> {
  // its exit code is the number of its complaints
  await run('testssl', [
    '--warnings',
    'off',
    '--quiet',
    '--color',
    '0',
    ...sized([], ['--protocols']),
    `${HOST}:${port}`,
  ]).catch(() => {});
}

type Times = Readonly<Record<'dns' | 'whois' | 'ssl', readonly number[]>>;
type TheirTimes = Readonly<Record<'slowest' | 'all' | 'whois' | 'testssl', readonly number[]>>;

function rowsOf(times: Times, theirs: TheirTimes): LinkRow[] {
  const [dns, whoisMs, ssl] = [figureOf(times.dns), figureOf(times.whois), figureOf(times.ssl)];
  return [
    row('dns, all types, ms', dns, ['slowest single dig', figureOf(theirs.slowest)], 'at most 1.5'),
    row(
      'dns, all types, ms',
      dns,
      [`${lookedUpRecordTypes.length} digs, one after another`, figureOf(theirs.all)],
      'at most 0.2',
    ),
    row('whois, ms', whoisMs, ['whois', figureOf(theirs.whois)], 'at most 1.3, plus 20 ms'),
    row('ssl, ms', ssl, ['testssl', figureOf(theirs.testssl)], 'at most 0.1'),
  ];
}

function row(what: string, ours: Figure, [tool, theirs]: readonly [string, Figure], goal: string): LinkRow {
  return {
    what,
    ours: figureText(ours, 0),
    baseline: `${tool}: ${figureText(theirs, 0)}`,
    ratio: (ours.median / theirs.median).toFixed(2),
    goal,
  };
}
