import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../../lab/lab.js';
import { sized } from '../sized.js';
import { cableTargets, layCable } from './cable.js';
import { type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';

/** fping 5 has numbers for 65 535 packets in ten seconds. */
const count = sized(300, 5);
const program = fileURLToPath(new URL('./ping-flood.js', import.meta.url));
const loopbackTargets = Array.from({ length: 200 }, (_, i) => `127.7.0.${i + 1}`);

/**
 * Pings as fast as either side can, beside fping. Over loopback each packet passes the sender's own machine on both ways,
 * and fping, whose socket has no filter, is handed its own requests as well: twice the packets to read. Nobody pings like
 * that, so the goal is for the cable.
 */
export async function floodRows({ lab, rounds }: Pick<ComparisonOptions, 'lab' | 'rounds'>): Promise<Row[]> {
  demand('fping');
  await layCable(lab);
  return [
    ...(await rowsOf({ lab, rounds, where: 'by cable', targets: cableTargets, goal: 'at least 0.9' })),
    ...(await rowsOf({ lab, rounds, where: 'over loopback', targets: loopbackTargets, goal: '' })),
  ];
}

interface Place extends Pick<ComparisonOptions, 'lab' | 'rounds'> {
  readonly where: string;
  readonly targets: readonly string[];
  /** Goal for the rate. */
  readonly goal: string;
}

async function rowsOf({ lab, rounds, where, targets, goal }: Place): Promise<Row[]> {
  const ours: Flood[] = [];
  const theirs: Flood[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(JSON.parse(await lab.exec('agent', process.execPath, program, String(count), ...targets)));
    theirs.push(await fping(lab, targets));
  }
  const both = (figure: (flood: Flood) => number) => ({ ours: ours.map(figure), theirs: theirs.map(figure) });
  const rates = both(({ received, seconds }) => received / seconds);
  const lost = both(({ sent, received }) => sent - received);
  const cpu = both(({ sent, cpuSeconds }) => (cpuSeconds * 1e6) / sent);
  return [
    ratioRow({ what: `200 targets ${where}, answered pings per second (fping)`, ...rates, digits: 0, goal }),
    differenceRow({ what: `200 targets ${where}, packets lost (fping)`, ...lost, digits: 0, goal: 'equal' }),
    ratioRow({ what: `200 targets ${where}, CPU time per ping, µs (fping)`, ...cpu, digits: 1 }),
  ];
}

/** Result of a flood. */
interface Flood {
  readonly sent: number;
  readonly received: number;
  readonly seconds: number;
  /** User and system time of all threads. */
  readonly cpuSeconds: number;
}

async function fping(lab: Lab, targets: readonly string[]): Promise<Flood> {
  const flags = ['-q', '-s', '-c', String(count), '-i', '0', '-p', '1', '-t', '500'];
  const script = `TIMEFORMAT='%U user %S system'; time fping ${flags.join(' ')} ${targets.join(' ')} 2>&1`;
  const text = await lab.exec('agent', 'bash', '-c', `{ ${script}; } 2>&1`);
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  return {
    sent: number(/(\d+) ICMP Echos sent/),
    received: number(/(\d+) ICMP Echo Replies received/),
    seconds: number(/([\d.]+) sec \(elapsed real time\)/),
    cpuSeconds: number(/([\d.]+) user/) + number(/([\d.]+) system/),
  };
}
