import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { NowAndThen } from './now-and-then.js';
import { MALFORMED_VALUE, readingMessage } from './reading-kind.js';
import type { Site } from './site.js';

/** Nodes that read something now and then, unasked, until stopped; some of it is no reading, and has to be refused. */
export class Readings {
  readonly #site: Site;
  readonly #random;
  #count = 0;
  readonly #turns: NowAndThen;

  constructor(site: Site, meanMs: number) {
    this.#site = site;
    this.#random = site.world.random.fork();
    this.#turns = new NowAndThen({ world: site.world, random: this.#random, meanMs, act: () => this.#read() });
  }

  start(): void {
    this.#turns.start();
  }

  /** Sets a longer mean interval. */
  slowDown(meanMs: number): void {
    this.#turns.slowDown(meanMs);
  }

  stop(): void {
    this.#turns.stop();
  }

  #read(): void {
    const { nodeId, running } = this.#random.pick(this.#site.agents);
    this.#count += 1;
    const subject = `reading-${this.#count}`;
    if (running === null) return;
    const isNonsense = this.#random.chance(0.1);
    if (isNonsense) this.#site.recorder.add('nonsense', { subject, nodeId }, `reads nonsense, ${subject}`);
    else this.#site.recorder.add('produced', { subject, nodeId, durationMs: 0 }, `reads ${subject}`);
    const payload = encodeResult(readingMessage(subject, isNonsense ? MALFORMED_VALUE : this.#count));
    const { durable } = running.append('check', payload);
    durable.then(() => running.link.wake('check')).catch(() => undefined);
  }
}
