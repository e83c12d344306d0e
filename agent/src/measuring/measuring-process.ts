import type { CheckJob, CheckMeasurement, MeasureJob, Measurement } from './child-messages.js';
import { failedCheck } from './failed-check.js';
import { type ChildEnd, failedMeasurement, MeasuringChild, type MeasuringOptions } from './measuring-child.js';
import type { ControlPlaneLists } from './policy-source.js';

//   none --start--> one child --it has grown--> one child, and a successor that loads
//    ^ |              | |  ^                       |   |  '--successor opened: it gets the jobs from here on,
//    | '---backoff----' |  |                       |   |     the old child ends when its own are answered
//    '------exit--------'  '-----------------------'   '--child exits: the successor is the child at once
//                            successor exits: reported again a minute later

const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;
/** A child that lived this long was healthy: the next restart is quick again. */
const STABLE_MS = 60_000;

/**
 * The process that runs the engines, kept alive and kept small: for any leak in Node or in an engine, a child that has
 * grown is replaced, without a job that fails or waits for it. Every job gets exactly one answer.
 */
export class MeasuringProcess {
  readonly #options: MeasuringOptions;
  /** All that live: the current one, its successor, old ones that finish. */
  readonly #children = new Set<MeasuringChild>();
  #current: MeasuringChild | null = null;
  #successor: MeasuringChild | null = null;
  #lists: ControlPlaneLists | null = null;
  #capabilities: readonly string[] = [];
  #announceReady: (() => void)[] = [];
  #isReady = false;
  #isStopping = false;
  #restartDelayMs = FIRST_RESTART_MS;
  #cancelRestart: (() => void) | null = null;

  constructor(options: MeasuringOptions) {
    this.#options = options;
  }

  /** Forks the child; it may be used at once. */
  start(): void {
    this.#current = this.#fork();
  }

  /** Resolves when the first child is ready, with what it can do. */
  async ready(): Promise<readonly string[]> {
    if (!this.#isReady) await new Promise<void>((resolve) => this.#announceReady.push(resolve));
    return this.#capabilities;
  }

  /** Capabilities of the newest child beyond plain sockets; empty before the first is ready. */
  get capabilities(): readonly string[] {
    return this.#capabilities;
  }

  /** Process id of the child that gets the jobs; null while there is none. Others may be loading or finishing. */
  get pid(): number | null {
    return this.#current?.pid ?? null;
  }

  get running(): number {
    return [...this.#children].reduce((sum, child) => sum + child.running, 0);
  }

  /** Runs a probe. Never rejects: a child that dies or is stuck gives an `internal` failure. */
  measure(job: MeasureJob): Promise<Measurement> {
    if (this.#current !== null) return this.#current.measure(job);
    return failedMeasurement(job, 'the measuring process is starting again', this.#options.clock.now());
  }

  /** Runs a check and judges it. Never rejects, as measure. */
  check(job: CheckJob): Promise<CheckMeasurement> {
    if (this.#current !== null) return this.#current.check(job);
    return Promise.resolve(failedCheck(job, 'the measuring process is starting again'));
  }

  /** Asks the engine to end; the job ends as `cancelled`. Unknown ids do nothing. */
  cancel(id: string): void {
    for (const child of this.#children) child.cancel(id);
  }

  /** The control plane's part of the target policy, for all children and those that follow them. */
  setLists(lists: ControlPlaneLists): void {
    this.#lists = lists;
    for (const child of this.#children) child.setLists(lists);
  }

  /** Ends every child at once; what is in flight is answered `internal`. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRestart?.();
    await Promise.all([...this.#children].map((child) => child.end()));
  }

  #fork(): MeasuringChild {
    const child = new MeasuringChild(this.#options, this.#lists, {
      onReady: (capabilities) => this.#ready(capabilities),
      onOpened: () => this.#opened(child),
      onGrown: (rssBytes) => this.#grown(child, rssBytes),
      onEnded: (end) => this.#ended(child, end),
    });
    this.#children.add(child);
    return child;
  }

  #ready(capabilities: readonly string[]): void {
    this.#capabilities = capabilities;
    this.#isReady = true;
    for (const announce of this.#announceReady.splice(0)) announce();
  }

  #grown(child: MeasuringChild, rssBytes: number): void {
    if (this.#isStopping || child !== this.#current || this.#successor !== null) return;
    const details = { pid: child.pid, rssMb: Math.round(rssBytes / 2 ** 20) };
    this.#options.log.info(details, 'measuring process uses much memory, replacing it');
    this.#successor = this.#fork();
  }

  #opened(child: MeasuringChild): void {
    if (child !== this.#successor) return;
    const old = this.#current;
    this.#current = child;
    this.#successor = null;
    old?.retire();
  }

  #ended(child: MeasuringChild, end: ChildEnd): void {
    this.#children.delete(child);
    if (this.#isStopping) return;
    if (child === this.#current) {
      this.#replaceDead(child, end);
      return;
    }
    const hasFinished = child !== this.#successor && end.code === 0;
    if (child === this.#successor) this.#successor = null;
    if (!hasFinished) this.#options.log.error(end, 'measuring process ended, its replacement continues');
  }

  #replaceDead({ forkedMs }: MeasuringChild, end: ChildEnd): void {
    const { clock, log } = this.#options;
    this.#current = this.#successor;
    this.#successor = null;
    if (this.#current !== null) {
      log.error(end, 'measuring process ended, its successor continues');
      return;
    }
    if (clock.monotonicMs() - forkedMs > STABLE_MS) this.#restartDelayMs = FIRST_RESTART_MS;
    log.error({ ...end, restartInMs: this.#restartDelayMs }, 'measuring process ended, restarting');
    this.#cancelRestart = clock.after(this.#restartDelayMs, () => this.start());
    this.#restartDelayMs = Math.min(MAX_RESTART_MS, this.#restartDelayMs * 2);
  }
}
