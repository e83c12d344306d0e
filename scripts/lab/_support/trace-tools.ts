import type { Lab } from '../lab.js';

/** One line of traceroute(8). */
export interface TracerouteLine {
  /** One per packet. */
  readonly addresses: (string | null)[];
  readonly rttsMs: number[];
}

/** What traceroute(8) prints of numbers only: an address stands before the first of its times. */
export async function tracerouteLines(lab: Lab, target: string, options: readonly string[]): Promise<TracerouteLine[]> {
  const output = await lab.exec('agent', 'traceroute', '-n', ...options, target);
  return output.trim().split('\n').slice(1).map(parseLine);
}

function parseLine(line: string): TracerouteLine {
  const addresses: (string | null)[] = [];
  const rttsMs: number[] = [];
  let address: string | null = null;
  for (const [, time, other] of line
    .trim()
    .replace(/^\d+ +/, '')
    .matchAll(/([\d.]+) ms|(\S+)/g)) {
    if (time !== undefined) {
      addresses.push(address);
      rttsMs.push(Number(time));
    } else if (other === '*') addresses.push(null);
    else if (other !== undefined && !other.startsWith('!')) address = other;
  }
  return { addresses, rttsMs };
}

/** A hop of `mtr --json`. */
export interface MtrHop {
  readonly host: string;
  readonly Avg: number;
  readonly Best: number;
  readonly 'Loss%': number;
}

/** What mtr(8) reports of every hop. */
export async function mtrHops(lab: Lab, target: string, options: readonly string[]): Promise<MtrHop[]> {
  const output = await lab.exec('agent', 'mtr', '--report', '--json', '-n', ...options, target);
  return JSON.parse(output).report.hubs;
}
