import type { ALERT_CHANNELS, AttemptEnd } from './database/alerts-model.js';
import type { MessageRow } from './database/tables.js';
import type { SimulatedProcess } from './process.js';
import type { SeededRandom } from './random.js';
import type { Recorder } from './recorder.js';
import type { World } from './world.js';

/** Time that a sender waits for a response, in milliseconds. */
const DEADLINE_MS = 10_000;

/** How a receiver responds: it accepts, refuses, accepts without a response, or neither gets the request nor responds. */
export type Manner = 'accepts' | 'refuses' | 'stays silent' | 'is away';

/** Those who are told of alerts. They write down every request. */
export class Receivers {
  readonly #manners = new Map<string, Manner>();
  readonly #random: SeededRandom;
  readonly #recorder: Recorder;

  constructor(
    private readonly world: World,
    { recorder, random }: { readonly recorder: Recorder; readonly random: SeededRandom },
  ) {
    this.#recorder = recorder;
    this.#random = random;
  }

  set(channel: (typeof ALERT_CHANNELS)[number], manner: Manner): void {
    this.#manners.set(channel, manner);
  }

  heal(): void {
    this.#manners.clear();
  }

  /** Sends a message; resolves with the outcome, unless the process dies before. */
  post(process: SimulatedProcess, { key, channel, alertId, kind }: MessageRow): Promise<AttemptEnd> {
    return new Promise((resolve) => {
      process.after(DEADLINE_MS, () => resolve('unknown'));
      this.world.carry(this.#random.magnitude(1, 100), () => {
        const manner = this.#manners.get(channel) ?? 'accepts';
        if (manner === 'is away') return;
        const isAccepted = manner !== 'refuses';
        const about = kind === 'resolved' ? 'end' : 'begin';
        const shown = `${isAccepted ? 'takes' : 'refuses'} ${key}`;
        this.#recorder.add('message-taken', { channel, alertId, key, about, isAccepted });
        this.world.trace.add(channel, shown);
        if (manner === 'stays silent') return;
        process.after(this.#random.magnitude(1, 3_000), () => resolve(isAccepted ? 'accepted' : 'refused'));
      });
    });
  }
}
