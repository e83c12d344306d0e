import { X509Certificate } from 'node:crypto';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Lab } from '../../lab/lab.js';
import { sized } from '../sized.js';
import { type Comparison, type ComparisonOptions, equalityRow, type Row, ratioRow } from './comparison.js';

type SslResult = ProbeResults['ssl'];

/** Web servers of the lab: each speaks other versions. */
const allHosts = ['www.lab.test', 'legacy.lab.test', 'tls12.lab.test', 'tls13.lab.test', 'expired.lab.test'];
const hosts = sized(allHosts, allHosts.slice(0, 1));
/** The one whose audit is timed. */
const TIMED_HOST = 'www.lab.test';
const DAY_MS = 86_400_000;

/** Labels that testssl prints before its finding for a version, and our names for them. */
const testsslNames: Readonly<Record<string, string>> = {
  SSLv3: 'SSLv3',
  'TLS 1': 'TLSv1',
  'TLS 1.1': 'TLSv1.1',
  'TLS 1.2': 'TLSv1.2',
  'TLS 1.3': 'TLSv1.3',
};

/** Versions beside testssl's, chain and days beside openssl's, and how long it takes. */
export const ssl: Comparison = {
  name: 'ssl',
  title: 'ssl: versions, chain and days of the lab’s web servers, and the time of an audit over a path of 20 ms',
  question: 'Are versions, chain and days those of openssl and testssl?',
  peer: 'testssl and openssl s_client',
  lab: { servers: ['dns', 'web'] },
  programs: ['openssl', 'testssl'],
  async run(options) {
    await options.lab.setLink(2, 'both', { delayMs: 10 });
    const rows: Row[] = [];
    for (const host of hosts) rows.push(...(await compareHost(host, options)));
    return [...rows, await compareTimes(options)];
  },
};

async function compareHost(host: string, { lab, prober }: ComparisonOptions): Promise<Row[]> {
  const ours = await prober.probe('ssl', host);
  const sent = await sentTo(lab, host);
  const fingerprints = ours.chain.map(({ fingerprint_sha256 }) => fingerprint_sha256);
  const days = Math.floor((Date.parse(sent[0]?.validTo ?? '') - Date.now()) / DAY_MS);
  return [
    equalityRow({ what: `versions of ${host}`, ours: versionsOf(ours), theirs: await testsslVersions(lab, host) }),
    equalityRow({
      what: `chain of ${host}`,
      ours: digest(fingerprints),
      theirs: digest(sent.map(({ fingerprint256 }) => fingerprint256)),
    }),
    equalityRow({ what: `days left of ${host}`, ours: String(ours.days_until_expiry), theirs: String(days) }),
  ];
}

async function compareTimes({ lab, prober, rounds }: ComparisonOptions): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await secondsOf(() => prober.probe('ssl', TIMED_HOST)));
    theirs.push(await secondsOf(() => testsslVersions(lab, TIMED_HOST)));
  }
  return ratioRow({ what: 'whole audit beside testssl --protocols, s', ours, theirs, goal: 'below 1' });
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

function versionsOf({ tls_versions: versions }: SslResult): string {
  return versions.flatMap(({ version, supported }) => (supported === true ? [version] : [])).join(' ');
}

async function testsslVersions(lab: Lab, host: string): Promise<string> {
  // its exit code is the number of its complaints
  const script = `testssl --warnings off --quiet --color 0 --protocols "$0" || true`;
  const text = await lab.exec('agent', 'sh', '-c', script, host);
  const offered = Object.entries(testsslNames).filter(([name]) =>
    new RegExp(`^ ${name.replaceAll('.', '\\.')} +offered`, 'm').test(text),
  );
  return offered.map(([, version]) => version).join(' ');
}

/** The certificates as openssl gets them, in order. */
async function sentTo(lab: Lab, host: string): Promise<X509Certificate[]> {
  const script = `openssl s_client -showcerts -cipher DEFAULT:@SECLEVEL=0 -connect "$0:443" -servername "$0" < /dev/null`;
  const text = await lab.exec('agent', 'sh', '-c', `${script} 2>/dev/null || true`, host);
  const pems = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  return pems.map((pem) => new X509Certificate(pem));
}

/** Short digest of a chain, enough to tell it from another. */
function digest(fingerprints: readonly string[]): string {
  return fingerprints.map((fingerprint) => fingerprint.slice(0, 11)).join(' ');
}
