import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../lab.js';

/** One line of traceroute(8). */
export interface TracerouteLine {
  /** One per packet. */
  readonly addresses: (string | null)[];
  readonly rttsMs: number[];
}

/** Lines of traceroute(8) with addresses only: an address precedes the first of its times. */
export async function tracerouteLines(lab: Lab, target: string, options: readonly string[]): Promise<TracerouteLine[]> {
  demand('traceroute');
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

/** Report of mtr(8) on every hop. */
export async function mtrHops(lab: Lab, target: string, options: readonly string[]): Promise<MtrHop[]> {
  demand('mtr');
  const output = await lab.exec('agent', 'mtr', '--report', '--json', '-n', ...options, target);
  return JSON.parse(output).report.hubs;
}
