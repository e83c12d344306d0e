import { randomBytes } from 'node:crypto';
import type { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Clock } from '@vantage/shared/clock.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import { HANDSHAKE_TIMEOUT_MS } from '@vantage/shared/protocol/limits.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { NodeIdentity } from '../../src/identity/identity.js';
import type { Keyring } from '../../src/identity/node-keys.js';
import { ClockSync } from '../../src/link/clock-sync.js';
import { dialLink } from '../../src/link/dial.js';
import { STEP_TIMEOUT_MS } from '../../src/link/dial-step.js';
import { Jobs } from '../../src/link/jobs.js';
import { Link, type LinkOptions } from '../../src/link/link.js';
import type { LinkWay } from '../../src/link/link-way.js';
import type { WatchedState } from '../../src/link/state-sources.js';
import type { MeasureJob, Measurement } from '../../src/measuring/child-messages.js';
import type { CheckRequest } from '../../src/schedule/asked-checks.js';
import type { AssignmentsChange } from '../../src/schedule/assignment-table.js';
import { Spool } from '../../src/spool/spool.js';
import { Upgrades } from '../../src/upgrade/upgrades.js';
import type { FakeControlPlane } from './fake-control-plane.js';
import { patientClock } from './patient-clock.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Lengthens the bounds of a dial and its handshake, and no delay before another attempt. */
const bounds: ReadonlySet<number> = new Set([STEP_TIMEOUT_MS, HANDSHAKE_TIMEOUT_MS]);
const patient = patientClock({ isLengthened: (ms) => bounds.has(ms), times: 10 });

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
  readonly upgrades: Upgrades;
  readonly measuring: FakeMeasuring;
  readonly lists: unknown[];
  /** Assignments and leases that the control plane sent. */
  readonly changes: readonly AssignmentsChange[];
  readonly leases: readonly number[];
  /** Checks that the control plane requested at once. */
  readonly asks: readonly CheckRequest[];
  /** Ends the process, politely. */
  stop(): Promise<void>;
}

export interface TestNodeOptions extends Partial<Pick<LinkOptions, 'random'>> {
  readonly bindAddress?: string;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly controlUrls?: readonly string[];
  /** Path to the control plane; default: direct, by its address. */
  readonly way?: LinkWay;
  /** Digest of the node's assignments. */
  readonly assignmentsDigest?: Uint8Array;
  /** States of everything the node watches. */
  readonly states?: readonly WatchedState[];
  /** Control URLs that the node was to keep. */
  readonly kept?: (readonly string[])[];
  readonly upgradeCommand?: string;
  readonly keys?: Keyring;
  readonly generations?: { last: number; isDiskFull?: boolean };
  /** Gets every line of the log; default: nothing is logged. */
  readonly logLine?: (line: string) => void;
}

const literalsOnly: LinkWay['addresses'] = {
  find: async (address) => [address],
  worked: () => {},
  failed: () => {},
};

/** Starts a link to `controlPlane` with everything behind it but the measuring. */
export async function startNode(
  t: Test,
  controlPlane: FakeControlPlane,
  options: TestNodeOptions = {},
): Promise<TestNode> {
  const clock = options.clock ?? patient;
  const { logLine } = options;
  const log = logLine === undefined ? pino({ enabled: false }) : pino({}, { write: logLine });
  const spool = await Spool.open({ folder: options.folder ?? temporaryDirectory(t), log, clock });
  const measuring = new FakeMeasuring();
  const clockSync = new ClockSync(clock);
  const jobs = new Jobs({ measuring, spool, clockSync, clock, log });
  const lists: unknown[] = [];
  const straight = { bindAddress: options.bindAddress ?? null, proxyUrl: null, addresses: literalsOnly, clock };
  const way = options.way ?? straight;
  const bootId = randomBytes(8).toString('hex');
  const command = options.upgradeCommand ?? null;
  const stateDir = options.folder ?? temporaryDirectory(t);
  const upgrades = new Upgrades({ command, stateDir, version: '0.0.0', clock, log });
  upgrades.start();
  const changes: AssignmentsChange[] = [];
  const schedule = {
    take: (change: AssignmentsChange) => void changes.push(change),
    checkNow: (asked: CheckRequest) => void asks.push(asked),
    digest: () => options.assignmentsDigest ?? new Uint8Array(),
    setLeaseSeconds: (seconds: number) => void leases.push(seconds),
    takeLoopLag: () => 0,
  };
  const leases: number[] = [];
  const asks: CheckRequest[] = [];
  const link = new Link({
    identity: identityAt(controlPlane, options),
    about: async () => ({ bootId, agentVersion: '0.0.0', capabilities: ['icmp'] }),
    dial: (controlUrl) => dialLink(controlUrl, way),
    spool,
    jobs,
    schedule,
    upgrades,
    clockSync,
    clock,
    random: options.random ?? (() => 0),
    log,
    onLists: (received) => lists.push(received),
    onCanaries: () => undefined,
    selfTest: () => null,
    states: async () => options.states ?? [],
    onStatus: () => undefined,
  });
  const stop = async () => {
    await link.stop();
    await spool.close();
  };
  t.teardown(stop);
  void link.start();
  return { link, spool, jobs, upgrades, measuring, lists, changes, leases, asks, stop };
}

function identityAt(controlPlane: FakeControlPlane, options: TestNodeOptions): NodeIdentity {
  const generations: { last: number; isDiskFull?: boolean } = options.generations ?? { last: 0 };
  return {
    nodeId: 'n_test',
    keys: options.keys ?? fixedKey(controlPlane),
    serverPublicKey: controlPlane.keys.publicKey,
    audience: controlPlane.url,
    controlUrls: options.controlUrls ?? [controlPlane.url],
    keepControlUrls: async (urls) => void options.kept?.push(urls),
    nextGeneration: async () => {
      if (generations.isDiskFull) throw new Error('ENOSPC: no space left on device');
      generations.last += 1;
      return generations.last;
    },
  };
}

/** The node's one key, which never changes. */
function fixedKey({ nodeKeys: { privateKey, publicKey } }: FakeControlPlane): Keyring {
  const current = { privateKey, publicKey: rawPublicKey(publicKey) };
  return { current, candidates: [current], makeNext: () => Promise.reject(new Error('fixed')), settle: async () => {} };
}

/** Lets the agent dial again whose delay is 0; true if a second link exists. */
export function isBack(controlPlane: FakeControlPlane, clock: FakeClock): boolean {
  clock.advance(0);
  return controlPlane.peers.length > 1;
}
