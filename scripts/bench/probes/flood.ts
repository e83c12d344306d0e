import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../../lab/lab.js';
import { namespaceOf } from '../../lab/namespaces.js';
import { type Row, rowOf, sized } from '../harness.js';
import type { LabRun } from './comparison.js';

/** fping 5 has numbers for 65 535 packets in ten seconds. */
const count = sized(300, 5);
const program = fileURLToPath(new URL('./ping-flood.js', import.meta.url));
const targetsOf = (network: string) => Array.from({ length: 200 }, (_, i) => `${network}.${i + 1}`);

/**
 * Pings as fast as either side can, compared with fping. Over loopback each packet passes the sender's own machine on both
 * ways, and fping, whose socket has no filter, receives its own requests as well: twice the packets to read. Real targets
 * are elsewhere, so the goal is for the cable.
 */
export async function floodRows(options: LabRun): Promise<Row[]> {
  demand('fping');
  await layCable(options.lab);
  return [
    ...(await rowsOf(options, { where: 'by cable', targets: targetsOf('25.80.21'), goal: 'at least 0.9' })),
    ...(await rowsOf(options, { where: 'over loopback', targets: targetsOf('127.7.0'), goal: '' })),
  ];
}

/**
 * Adds a cable from `agent` to `far`, behind which 200 addresses are one machine: the links of the lab are a program, which
 * copies frames more slowly than either side of a flood sends them.
 */
async function layCable(lab: Lab): Promise<void> {
  const ip = (host: 'agent' | 'far', command: string) => lab.exec(host, 'ip', ...command.split(' '));
  const far = namespaceOf(lab.name, 'far');
  await ip('agent', `link add cable type veth peer name cable netns ${far}`);
  await ip('agent', 'address add 25.80.20.1/30 dev cable');
  await ip('far', 'address add 25.80.20.2/30 dev cable');
  await ip('far', 'link set cable up');
  await ip('agent', 'link set cable up');
  await ip('agent', 'route add 25.80.21.0/24 via 25.80.20.2');
  await ip('far', 'route add local 25.80.21.0/24 dev lo');
}

interface Place {
  readonly where: string;
  readonly targets: readonly string[];
  /** Goal for the rate. */
  readonly goal: string;
}

async function rowsOf({ lab, rounds }: LabRun, { where, targets, goal }: Place): Promise<Row[]> {
  const ours: Flood[] = [];
  const theirs: Flood[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(JSON.parse(await lab.exec('agent', process.execPath, program, String(count), ...targets)));
    theirs.push(await fping(lab, targets));
  }
  const both = (figure: (flood: Flood) => number) => ({ ours: ours.map(figure), baseline: theirs.map(figure) });
  const rates = both(({ received, seconds }) => received / seconds);
  const lost = both(({ sent, received }) => sent - received);
  const cpu = both(({ sent, cpuSeconds }) => (cpuSeconds * 1e6) / sent);
  return [
    rowOf(`200 targets ${where}, replies per second (fping)`, { ...rates, digits: 0, goal }),
    rowOf(`200 targets ${where}, packets lost (fping)`, { ...lost, digits: 0, isDifference: true, goal: 'equal' }),
    rowOf(`200 targets ${where}, CPU time per ping, µs (fping)`, { ...cpu, digits: 1 }),
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
