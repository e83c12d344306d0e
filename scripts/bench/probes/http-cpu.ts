import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Lab } from '../../lab/lab.js';
import { cpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { type ComparisonOptions, type Row, ratioRow } from './comparison.js';

const IN_FLIGHT = 16;
/** Exchanges of each program in each round: enough for the hundredths of a second that the kernel counts in. */
const EXCHANGES = sized(2000, 50);
/** Exchanges after which the code that always runs has been compiled. */
const WARM_UP_EXCHANGES = sized(4000, 50);

/** Method, for the head of the table. */
export const cpuMethod = `CPU: user and system time of the whole process by the kernel's account, for ${EXCHANGES} exchanges in turns after ${WARM_UP_EXCHANGES}, ${IN_FLIGHT} in flight, of the agent's measuring child (its messages to its parent included) and of a process that does nothing but http.request with a connection for each, \`connection: close\`, the body read to its end; both ask a literal address`;

/** The measuring child as the agent runs it, beside what Node itself needs for the same exchange. */
export async function cpuRow({ lab, prober, rounds }: ComparisonOptions, url: string): Promise<Row> {
  const bare = await startBare(lab, url);
  const probe = (count: number) => atOnce(count, () => prober.probe('http', url));
  const ask = (count: number) => bare.exchange(count);
  await probe(WARM_UP_EXCHANGES);
  await ask(WARM_UP_EXCHANGES);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await cpuMicrosOf(prober.pid, probe));
    theirs.push(await cpuMicrosOf(bare.pid, ask));
  }
  bare.stop();
  return ratioRow({ what: 'http, CPU per probe, µs', ours, theirs, goal: 'at most 1.6', digits: 0 });
}

async function cpuMicrosOf(pid: number, exchange: (count: number) => Promise<void>): Promise<number> {
  const before = cpuSecondsOf(pid);
  await exchange(EXCHANGES);
  return ((cpuSecondsOf(pid) - before) / EXCHANGES) * 1e6;
}

async function atOnce(count: number, exchange: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const loop = async () => {
    for (; begun < count; await exchange()) begun += 1;
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
}

interface Bare {
  readonly pid: number;
  exchange(count: number): Promise<void>;
  stop(): void;
}

async function startBare(lab: Lab, url: string): Promise<Bare> {
  const settings = `const [url, inFlight] = ${JSON.stringify([url, IN_FLIGHT])};`;
  const child: ChildProcess = lab.spawn('agent', [process.execPath, '-e', `${settings}\n${bareProgram}`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    exchange: async (count) => {
      child.send(count);
      await once(child, 'message');
    },
    stop: () => child.disconnect(),
  };
}

const bareProgram = `
const http = require('node:http');
const ask = () => new Promise((resolve, reject) => {
  const request = http.request(url, { agent: false }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
  });
  request.on('error', reject);
  request.end();
});
process.on('message', async (count) => {
  let begun = 0;
  const loop = async () => { for (; begun < count; await ask()) begun += 1; };
  await Promise.all(Array.from({ length: inFlight }, loop));
  process.send('done');
});
process.send('ready');`;
