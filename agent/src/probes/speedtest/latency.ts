import { delay } from '@vantage/shared/clock.js';
import { connectTcp } from '../../net/connect.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';

/** Connects before anything is sent, and the pause between two. */
const IDLE_CONNECTS = 10;
const IDLE_PAUSE_MS = 50;
/** Pause between the end of one connect and the next while a transfer runs: at most 50 connects in each direction. */
const LOADED_PAUSE_MS = 200;

export interface LatencyOptions extends Pick<ProbeContext, 'clock' | 'signal'> {
  readonly address: ResolvedAddress;
  readonly port: number;
}

/** Connect times one after another into `times`; one that fails is left out. @throws the signal's reason */
export async function measureIdle(times: number[], options: LatencyOptions): Promise<void> {
  for (let count = 0; count < IDLE_CONNECTS; count += 1) {
    await delay(options.clock, IDLE_PAUSE_MS, options.signal);
    await connectOnce(times, options);
  }
}

/** Runs `work`, and as long as it runs one connect after another into `times`. */
export async function measureLoaded<T>(times: number[], options: LatencyOptions, work: () => Promise<T>): Promise<T> {
  const end = new AbortController();
  const connects = connectUntilAborted(times, { ...options, signal: end.signal });
  try {
    return await work();
  } finally {
    end.abort(new ProbeFailure('cancelled', 'the transfer has ended'));
    await connects;
  }
}

async function connectUntilAborted(times: number[], options: LatencyOptions): Promise<void> {
  while (!options.signal.aborted) {
    await delay(options.clock, LOADED_PAUSE_MS, options.signal).catch(() => undefined);
    await connectOnce(times, options).catch(() => undefined);
  }
}

async function connectOnce(times: number[], { address, ...options }: LatencyOptions): Promise<void> {
  try {
    const { socket, connectMs } = await connectTcp({ ...options, addresses: [address] });
    socket.destroy();
    times.push(connectMs);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof ProbeFailure)) throw error;
  }
}

/** Mean difference of one time to the next; null of fewer than two. */
export function jitterOf(times: readonly number[]): number | null {
  if (times.length < 2) return null;
  const sum = times.slice(1).reduce((total, time, i) => total + Math.abs(time - (times[i] ?? time)), 0);
  return sum / (times.length - 1);
}
