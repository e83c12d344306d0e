import { type LinkSettings, linkStatus, setDirection } from '../emulator.js';
import { getRecord, socketOf } from '../records.js';
import { statusText } from '../status-text.js';
import { type Direction, linksOf } from '../topology.js';

export interface LinkOptions {
  readonly name: string;
  readonly direction?: Direction;
  readonly delay?: number;
  readonly jitter?: number;
  readonly loss?: number;
  readonly duplicate?: number;
  readonly reorder?: number;
  readonly rate?: number;
  readonly queue?: number;
}

/** Changes a link of a lab that is up and prints how it is then. */
export async function link(number: number, options: LinkOptions): Promise<void> {
  const numbers = linksOf(getRecord(options.name).isEcmp).map((known) => known.number);
  if (!numbers.includes(number)) throw new Error(`no link ${number} in this lab: one of ${numbers.join(', ')}`);
  const socket = socketOf(options.name);
  const ways: readonly Direction[] = options.direction === undefined ? ['forth', 'back'] : [options.direction];
  for (const way of ways) await setDirection(socket, number, way, settingsOf(options));
  const changed = (await linkStatus(socket)).filter((status) => status.link === number);
  process.stdout.write(statusText(changed));
}

function settingsOf({ delay, jitter, loss, duplicate, reorder, rate, queue }: LinkOptions): Partial<LinkSettings> {
  const all = {
    delayMs: delay,
    jitterMs: jitter,
    lossRatio: loss,
    duplicateRatio: duplicate,
    reorderRatio: reorder,
    rateBitsPerSecond: rate,
    queueBytes: queue,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
