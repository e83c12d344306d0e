import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Row, rowOf, sized } from '../harness.js';
import { cpuSecondsOf } from '../processes.js';
import type { LabRun } from './comparison.js';

const IN_FLIGHT = 16;
/** Exchanges of each program in each round: enough for the hundredths of a second that the kernel counts in. */
const EXCHANGES = sized(2000, 50);
/** Exchanges after which the code that always runs has been compiled. */
const WARM_UP_EXCHANGES = sized(4000, 50);
const program = fileURLToPath(new URL('./bare-requests.js', import.meta.url));

/** Method, for the head of the table. */
export const cpuMethod = `CPU: user and system time of the whole process by the kernel's account, for ${EXCHANGES} exchanges in turns after ${WARM_UP_EXCHANGES}, ${IN_FLIGHT} in flight, of the agent's measuring child (its messages to its parent included) and of a process that does nothing but http.request with a connection for each, \`connection: close\`, the body read to its end; both request a literal address`;

/** The measuring child as the agent runs it, compared with what Node itself needs for the same exchange. */
export async function cpuRow({ lab, prober, rounds }: LabRun, url: string): Promise<Row> {
  const child = lab.spawn('agent', [process.execPath, program, url, String(IN_FLIGHT)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  const probe = (count: number) => exchange(count, IN_FLIGHT, () => prober.probe('http', url));
  const request = async (count: number) => {
    child.send(count);
    await once(child, 'message');
  };
  await probe(WARM_UP_EXCHANGES);
  await request(WARM_UP_EXCHANGES);
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await cpuMicrosOf(prober.pid, probe));
    baseline.push(await cpuMicrosOf(child.pid ?? 0, request));
  }
  child.disconnect();
  return rowOf('http, CPU per probe, µs', { ours, baseline, goal: 'at most 1.6', digits: 0 });
}

async function cpuMicrosOf(pid: number, exchanges: (count: number) => Promise<void>): Promise<number> {
  const before = cpuSecondsOf(pid);
  await exchanges(EXCHANGES);
  return ((cpuSecondsOf(pid) - before) / EXCHANGES) * 1e6;
}

async function exchange(count: number, inFlight: number, one: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const loop = async () => {
    for (; begun < count; await one()) begun += 1;
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
}
