import { setTimeout as pause } from 'node:timers/promises';
import { demand } from '@vantage/shared/_support/missing.js';
import { askDig } from '../../lab/dig.js';
import type { Lab } from '../../lab/lab.js';
import type { LabAgent } from '../../lab/lab-agent.js';
import { serviceAddresses } from '../../lab/topology.js';
import { sized } from '../sized.js';
import { curlPhases } from './http-peers.js';

const SAMPLES = sized(20, 3);
const INTERVAL_MS = 200;
const { v4: web } = serviceAddresses('web');
const { v4: zone } = serviceAddresses('zone');
const page = { name: 'http', url: `http://${web}/`, version: '1.1' } as const;

/** Times of both, ms; what stands at the same place was measured at the same moment. */
export interface Pairs {
  readonly ours: number[];
  readonly theirs: number[];
  /** Disturbed marks of our measurements. */
  readonly marks: boolean[];
}

/** Empty pairs. */
export function noPairs(): Pairs {
  return { ours: [], theirs: [], marks: [] };
}

/** One type beside the tool that measures the same, some twenty samples. */
export interface PairedType {
  readonly name: string;
  readonly peer: string;
  measure(lab: Lab, agent: LabAgent): Promise<Pairs>;
}

/** Programs that a plain probe of each type is compared with. */
export const pairedTypes: readonly PairedType[] = [
  { name: 'ping', peer: 'ping', measure: measurePings },
  {
    name: 'tcp',
    peer: 'curl',
    measure: (lab, agent) =>
      inTurns(
        async () => {
          const result = await agent.probe('tcp', web, { port: 80 });
          return { ms: result.connect_ms, ...result };
        },
        async () => (await curlPhases(lab, page)).tcp,
      ),
  },
  {
    name: 'http',
    peer: 'curl',
    measure: (lab, agent) =>
      inTurns(
        async () => {
          const result = await agent.probe('http', page.url, { http_version: page.version });
          return { ms: result.response_ms, ...result };
        },
        async () => (await curlPhases(lab, page)).total,
      ),
  },
  {
    name: 'dns',
    peer: 'dig',
    measure: (lab, agent) =>
      inTurns(
        async () => {
          const result = await agent.probe('dns', 'www.lab.test', { record_type: 'A', server: zone });
          return { ms: result.query_ms, ...result };
        },
        async () => (await askDig(lab, { name: 'www.lab.test', type: 'A', server: zone })).queryMs,
      ),
  },
];

/** Runs both pings at the same time, half an interval apart. */
async function measurePings(lab: Lab, agent: LabAgent): Promise<Pairs> {
  demand('ping');
  const theirs = lab.exec('agent', 'ping', '-n', '-c', String(SAMPLES), '-i', String(INTERVAL_MS / 1000), web);
  await pause(INTERVAL_MS / 2);
  const result = await agent.probe('ping', web, { count: SAMPLES, interval_ms: INTERVAL_MS });
  const times = [...(await theirs).matchAll(/icmp_seq=(\d+) .*time=([\d.]+) ms/g)];
  const bySequence = new Map(times.map(([, sequence, ms]) => [Number(sequence) - 1, Number(ms)]));
  const pairs = noPairs();
  for (const { seq, rtt_ms: rttMs } of result.replies) {
    const theirMs = bySequence.get(seq);
    if (rttMs !== null && theirMs !== undefined) add(pairs, { oursMs: rttMs, theirsMs: theirMs, result });
  }
  return pairs;
}

async function inTurns(
  ours: () => Promise<object & { readonly ms: number | null }>,
  theirs: () => Promise<number | null>,
): Promise<Pairs> {
  const pairs = noPairs();
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const result = await ours();
    const theirMs = await theirs();
    if (result.ms === null || theirMs === null) throw new Error(`no answer: ${JSON.stringify(result)}`);
    add(pairs, { oursMs: result.ms, theirsMs: theirMs, result });
  }
  return pairs;
}

interface Pair {
  readonly oursMs: number;
  readonly theirsMs: number;
  readonly result: object;
}

/** The envelope of every result has the mark; the types of engines do not. */
function add(pairs: Pairs, { oursMs, theirsMs, result }: Pair): void {
  pairs.ours.push(oursMs);
  pairs.theirs.push(theirsMs);
  pairs.marks.push('disturbed' in result && result.disturbed === true);
}
