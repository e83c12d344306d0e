// The load generator, a process of its own: one order at a time, a closed loop for each probe in flight.
import { setTimeout as pause } from 'node:timers/promises';
import { sized } from '../harness.js';
import { LoadClient } from '../load.js';
import { quantile } from '../statistics.js';
import type { FromLoad, LoadOrder, LoadWindow } from './load-generator.js';
import { isSteady, MOST_SECONDS, WINDOW_MS } from './steady.js';

/** Time between the first request and the window, in milliseconds: connections open, and the other road comes to rest. */
const RAMP_MS = sized(500, 50);

/** Probes that ended since the window began. */
class Tally {
  #times: number[] = [];
  #beganAt = performance.now();

  note(tookMs: number): void {
    this.#times.push(tookMs);
  }

  begin(): void {
    this.#times = [];
    this.#beganAt = performance.now();
  }

  window(): LoadWindow {
    const times = this.#times;
    const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map((ratio) => quantile(times, ratio));
    return { count: times.length, seconds: (performance.now() - this.#beganAt) / 1_000, p50, p95, p99 };
  }
}

let probes = 0;

/** No one asks the resolver: the target is an address. Addresses of 65 536 networks, one after another, in no range that is refused. */
function bodyOf({ body, takesBudget }: LoadOrder): LoadOrder['body'] {
  if (!takesBudget) return body;
  probes += 1;
  const resolver = `8.${(probes >> 8) & 255}.${probes & 255}.8`;
  return { ...body, params: { ...body.params, resolver } };
}

async function run(order: LoadOrder): Promise<void> {
  const { url, key, type, nodes, inFlight, seconds } = order;
  const client = new LoadClient(url, inFlight, key);
  const tally = new Tally();
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await client.probe(type, bodyOf(order), nodes);
      tally.note(performance.now() - startedAt);
    }
  };
  const loops = Promise.all(Array.from({ length: inFlight }, loop));
  try {
    // the loops end by themselves only by failing
    await Promise.race([loops, seconds === null ? warmUp(tally) : measure(tally, seconds)]);
    isOver = true;
    await loops;
    await client.close();
    say({ kind: 'idle' });
  } catch (error) {
    isOver = true;
    say({ kind: 'failed', message: (error as Error).message });
  }
}

async function measure(tally: Tally, seconds: number): Promise<void> {
  await pause(RAMP_MS);
  tally.begin();
  say({ kind: 'begun' });
  await pause(seconds * 1_000);
  say({ kind: 'ended', window: tally.window() });
}

async function warmUp(tally: Tally): Promise<void> {
  const perSecond: number[] = [];
  while (perSecond.length < MOST_SECONDS && !isSteady(perSecond)) {
    tally.begin();
    await pause(WINDOW_MS);
    const { count, seconds } = tally.window();
    perSecond.push(count / seconds);
  }
  say({ kind: 'warm', warmUp: { perSecond, isSteady: isSteady(perSecond) } });
}

function say(message: FromLoad): void {
  if (process.connected) process.send?.(message);
}

process.on('message', (order: LoadOrder) => void run(order));
process.once('disconnect', () => process.exit());
