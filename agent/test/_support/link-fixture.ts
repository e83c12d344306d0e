import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { NodeIdentity } from '../../src/identity/identity.js';
import { ClockSync } from '../../src/link/clock-sync.js';
import { Jobs } from '../../src/link/jobs.js';
import { Link, type LinkOptions } from '../../src/link/link.js';
import type { MeasureJob, Measurement } from '../../src/measuring/child-messages.js';
import { Spool } from '../../src/spool/spool.js';
import type { FakeClock } from './fake-clock.js';
import type { FakeControlPlane } from './fake-control-plane.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Measures nothing: a test answers each job when it likes, or all of them at once. */
export class FakeMeasuring {
  readonly jobs: MeasureJob[] = [];
  readonly cancelled: string[] = [];
  answersAtOnce = true;
  loopLagMs = 0;
  readonly #waiting = new Map<string, (measurement: Measurement) => void>();

  measure(job: MeasureJob): Promise<Measurement> {
    this.jobs.push(job);
    return new Promise((resolve) => {
      this.#waiting.set(job.id, resolve);
      if (this.answersAtOnce) this.answer(job.id);
    });
  }

  cancel(id: string): void {
    this.cancelled.push(id);
  }

  answer(id: string): void {
    this.#waiting.get(id)?.({ id, resultJson: JSON.stringify({ answered: id }), loopLagMs: this.loopLagMs });
  }
}

/** An enrolled node with a spool in a folder of its own; started again with the same folder it is the same node. */
export interface TestNode {
  readonly link: Link;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly measuring: FakeMeasuring;
  readonly lists: unknown[];
  /** Ends the process, politely. */
  stop(): Promise<void>;
}

export interface TestNodeOptions extends Partial<Pick<LinkOptions, 'bindAddress' | 'random'>> {
  readonly folder?: string;
  readonly clock?: Clock;
  readonly controlUrls?: readonly string[];
  readonly generations?: { last: number; isDiskFull?: boolean };
}

/** Starts a link to `controlPlane` with everything behind it but the measuring. */
export async function startNode(
  t: Test,
  controlPlane: FakeControlPlane,
  options: TestNodeOptions = {},
): Promise<TestNode> {
  const clock = options.clock ?? systemClock;
  const log = pino({ enabled: false });
  const spool = await Spool.open({ folder: options.folder ?? temporaryDirectory(t), log, clock });
  const measuring = new FakeMeasuring();
  const clockSync = new ClockSync(clock);
  const jobs = new Jobs({ measuring, spool, clockSync, clock, log });
  const lists: unknown[] = [];
  const bootId = randomBytes(8).toString('hex');
  const link = new Link({
    identity: identityAt(controlPlane, options),
    about: async () => ({ bootId, agentVersion: '0.0.0', capabilities: ['icmp'] }),
    bindAddress: options.bindAddress ?? null,
    spool,
    jobs,
    clockSync,
    clock,
    random: options.random ?? (() => 0),
    log,
    onLists: (received) => lists.push(received),
    onCanaries: () => undefined,
    selfTest: () => null,
    onStatus: () => undefined,
  });
  const stop = async () => {
    await link.stop();
    await spool.close();
  };
  t.teardown(stop);
  void link.start();
  return { link, spool, jobs, measuring, lists, stop };
}

function identityAt(controlPlane: FakeControlPlane, options: TestNodeOptions): NodeIdentity {
  const generations: { last: number; isDiskFull?: boolean } = options.generations ?? { last: 0 };
  return {
    nodeId: 'n_test',
    privateKey: controlPlane.nodeKeys.privateKey,
    publicKey: rawPublicKey(controlPlane.nodeKeys.publicKey),
    serverPublicKey: controlPlane.keys.publicKey,
    audience: controlPlane.url,
    controlUrls: options.controlUrls ?? [controlPlane.url],
    nextGeneration: async () => {
      if (generations.isDiskFull) throw new Error('ENOSPC: no space left on device');
      generations.last += 1;
      return generations.last;
    },
  };
}

/** Lets the agent dial again whose delay is 0, and says whether a second link is there. */
export function isBack(controlPlane: FakeControlPlane, clock: FakeClock): boolean {
  clock.advance(0);
  return controlPlane.peers.length > 1;
}
