import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { Reader } from 'maxmind';
import { pino } from 'pino';
import { GeoDatabases } from 'vantage-control/geo/index.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { makeAddresses } from './made-lists.js';

const ADDRESSES = sized(200_000, 2_000);
const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';
const FILE = 'geo-whois-asn-country.mmdb';

/** Place and network of addresses. */
export const ip: LinkComparison = {
  name: 'ip',
  title: 'place and network of an address',
  question: 'Does finding place and network of an address reach 0.7 of two bare reads?',
  method: ({ rounds }) =>
    `${ADDRESSES.toLocaleString('en')} random addresses, each once, in the database of ${PACKAGE}; bare: two reads of the same address by the reader itself, without place, network, sources or the check for public addresses; ${rounds} rounds after one that is not counted, in turns`,
  async run({ rounds }) {
    const directory = mkdtempSync(join(tmpdir(), 'vantage-bench-'));
    const folder = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
    copyFileSync(join(folder, FILE), join(directory, FILE));
    const geo = new GeoDatabases({ directory, clock: systemClock, log: pino({ level: 'silent' }) });
    try {
      await geo.start();
      const bare = new Reader<object>(readFileSync(join(directory, FILE)));
      const texts = makeAddresses(ADDRESSES);
      const [own, baseline]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round += 1) {
        own.push(perSecond(texts, (text) => geo.describe(text)));
        baseline.push(perSecond(texts, (text) => [bare.get(text), bare.get(text)]));
      }
      return rowsOf(own.slice(1), baseline.slice(1));
    } finally {
      await geo.stop();
      rmSync(directory, { recursive: true });
    }
  },
};

function perSecond(texts: readonly string[], find: (text: string) => unknown): number {
  const startedMs = performance.now();
  let found = 0;
  for (const text of texts) if (find(text) !== null) found += 1;
  if (found === 0) throw new Error('no address was found');
  return (texts.length * 1_000) / (performance.now() - startedMs);
}

function rowsOf(own: readonly number[], baseline: readonly number[]): LinkRow[] {
  const [ours, bare] = [figureOf(own), figureOf(baseline)];
  return [
    {
      what: 'addresses a second',
      ours: figureText(ours, 0),
      baseline: figureText(bare, 0),
      ratio: (ours.median / bare.median).toFixed(2),
      goal: 'at least 0.7, and 200 000',
    },
  ];
}
