import type { Clock } from '@vantage/shared/clock.js';
import {
  type Canary,
  MAX_CANARIES,
  parseCanary,
  type SelfTestCheck,
  type SelfTestReport,
} from '@vantage/shared/self-test.js';
import type { ClockSync } from '../link/clock-sync.js';
import type { MeasuringProcess } from '../measuring/measuring-process.js';
import { judgeClockState, judgeFamily, judgeIcmp, judgeResolver } from './judge.js';
import { SelfProbes } from './self-probes.js';

/** Interval between self-tests; spread, so that ten thousand nodes do not contact a canary together. */
const INTERVAL_MS = 600_000;
/** The canaries come with the link; a node that has none by then checks itself without. */
const PATIENCE_MS = 30_000;
const CANARY_TIMEOUT_MS = 5000;
/** Cannot exist (RFC 6761), so that a resolver that answers says no. */
const NO_NAME = 'vantage.invalid';

export interface SelfTestOptions {
  readonly measuring: Pick<MeasuringProcess, 'measure' | 'capabilities' | 'ready'>;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  /** Facts that the machine knows without sending a packet. */
  readonly hasRoute: (family: 4 | 6) => Promise<boolean>;
  readonly readKernelClock: () => Promise<boolean | null>;
  readonly onReport: () => void;
}

//   started --canaries known, or 30 s--> testing --> resting --10 min, spread--> testing ...
//                                           ^------- other canaries ----'

/** Self-test of this node: probes of its canaries through the ordinary runner and policy. */
export class SelfTest {
  readonly #options: SelfTestOptions;
  #canaries: readonly Canary[] = [];
  #latest: SelfTestReport | null = null;
  #cancelTimer: () => void = () => undefined;
  #isTesting = false;
  #isStopped = false;
  readonly #probes: SelfProbes;

  constructor(options: SelfTestOptions) {
    this.#options = options;
    this.#probes = new SelfProbes(options.measuring, 'self-test');
  }

  /** Newest report; null before the first self-test has ended. */
  get latest(): SelfTestReport | null {
    return this.#latest;
  }

  start(): void {
    this.#schedule(PATIENCE_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  /**
   * Sets the canaries that the control plane configured; entries that this build does not understand are ignored.
   * Tests at once when they changed.
   */
  setCanaries(texts: readonly string[]): void {
    const canaries = parseCanaries(texts);
    const isSame = canaries.map(({ text }) => text).join(' ') === this.#canaries.map(({ text }) => text).join(' ');
    this.#canaries = canaries;
    if (this.#latest === null || !isSame) this.#schedule(0);
  }

  #schedule(ms: number): void {
    this.#cancelTimer();
    if (this.#isStopped) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => void this.#run(), { unref: true });
  }

  async #run(): Promise<void> {
    if (this.#isTesting) return;
    this.#isTesting = true;
    const canaries = this.#canaries;
    const checks = await this.#test(canaries);
    this.#isTesting = false;
    if (this.#isStopped) return;
    this.#latest = { finishedAt: this.#options.clock.now(), checks };
    this.#options.onReport();
    this.#schedule(canaries === this.#canaries ? INTERVAL_MS * (0.8 + 0.4 * this.#options.random()) : 0);
  }

  async #test(canaries: readonly Canary[]): Promise<SelfTestCheck[]> {
    const { measuring, clockSync, readKernelClock } = this.#options;
    const capabilities = await measuring.ready();
    const [ipv4, ipv6, resolver, isSynchronised] = await Promise.all([
      this.#family(4, canaries),
      this.#family(6, canaries),
      this.#probes.probe('dns', NO_NAME, {}),
      readKernelClock(),
    ]);
    const clock = judgeClockState(clockSync.estimate(), isSynchronised);
    return [ipv4, ipv6, judgeResolver(resolver), clock, judgeIcmp(capabilities)];
  }

  async #family(family: 4 | 6, canaries: readonly Canary[]): Promise<SelfTestCheck> {
    const hasRoute = await this.#options.hasRoute(family);
    const fitting = canaries.filter(({ host }) => host.kind === 'name' || host.family === family);
    const answers = fitting.map(async (canary) => ({
      canary,
      code: await this.#probes.canary(canary, CANARY_TIMEOUT_MS, family),
    }));
    return judgeFamily(family, hasRoute, await Promise.all(answers));
  }
}

/** Parses the control plane's canaries; those that this build does not understand are omitted. */
export function parseCanaries(texts: readonly string[]): readonly Canary[] {
  return texts.slice(0, MAX_CANARIES).flatMap((text) => parseCanary(text) ?? []);
}
