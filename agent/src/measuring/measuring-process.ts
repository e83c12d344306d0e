import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import { type FromChild, type MeasureJob, type Measurement, MessageBatch, type ToChild } from './child-messages.js';
import type { ControlPlaneLists } from './policy-source.js';

//   forked --ready--> measuring --exit, for whatever reason--> down --backoff--> forked
//                        |  every job in flight ends `internal`      (stop() ends the circle)
//                        +--a job 5 s over its deadline: SIGKILL

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/**
 * A leak ends in a restart, not in a machine without memory. A new space of 4 MiB instead of 16 saves 7 MB of an idle
 * child; below that every probe pays for it (1 MiB: twice the CPU). `gc` is for child.ts.
 */
const CHILD_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4', '--expose-gc'];
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;
/** A child that lived this long was healthy: the next restart is quick again. */
const STABLE_MS = 60_000;
/** A job is answered this long after its deadline, or the child is stuck. */
const STUCK_AFTER_MS = 5000;
const SWEEP_MS = 1000;

interface PendingJob {
  readonly job: MeasureJob;
  readonly dueMs: number;
  readonly resolve: (measurement: Measurement) => void;
}

export interface MeasuringProcessOptions {
  /** CIDRs the operator opened to probes. */
  readonly allow: readonly string[];
  /** Origin of the control plane this node serves. */
  readonly serviceUrl: string;
  /** Addresses of a private root of DNS; default: the public root servers. */
  readonly rootHints?: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  /** The program to fork; tests pass one with engines of their own. */
  readonly program?: string;
}

/** The child process that runs the engines, kept alive. Every job gets exactly one answer, dead child or not. */
export class MeasuringProcess {
  readonly #options: MeasuringProcessOptions;
  readonly #pending = new Map<string, PendingJob>();
  readonly #outgoing: MessageBatch<ToChild>;
  #child: ChildProcess | null = null;
  #lists: ControlPlaneLists | null = null;
  #capabilities: readonly string[] = [];
  #announceReady: (() => void)[] = [];
  #isReady = false;
  #isStopping = false;
  #forkedMs = 0;
  #restartDelayMs = FIRST_RESTART_MS;
  #cancelRestart: (() => void) | null = null;
  #cancelSweep: (() => void) | null = null;

  constructor(options: MeasuringProcessOptions) {
    this.#options = options;
    this.#outgoing = new MessageBatch((batch) => this.#send(batch));
  }

  /** Forks the child; it may be used at once. */
  start(): void {
    this.#fork();
  }

  /** Resolves when the first child is ready, with what it can do. */
  async ready(): Promise<readonly string[]> {
    if (!this.#isReady) await new Promise<void>((resolve) => this.#announceReady.push(resolve));
    return this.#capabilities;
  }

  /** What the child can do beyond plain sockets; empty before it is ready. */
  get capabilities(): readonly string[] {
    return this.#capabilities;
  }

  /** Process id of the child; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get runningIds(): string[] {
    return [...this.#pending.keys()];
  }

  get running(): number {
    return this.#pending.size;
  }

  /** Never rejects: a child that dies or is stuck gives an `internal` failure. */
  measure(job: MeasureJob): Promise<Measurement> {
    return new Promise((resolve) => {
      const pending = { job, dueMs: this.#options.clock.monotonicMs() + job.deadlineMs, resolve };
      if (this.#child === null) {
        void this.#fail(pending, 'the measuring process is starting again');
        return;
      }
      this.#pending.set(job.id, pending);
      this.#outgoing.push({ kind: 'run', ...job });
      this.#cancelSweep ??= this.#options.clock.after(SWEEP_MS, () => this.#sweep(), { unref: true });
    });
  }

  /** Asks the engine to end; the job is answered as `cancelled`. Unknown ids do nothing. */
  cancel(id: string): void {
    if (this.#pending.has(id)) this.#outgoing.push({ kind: 'cancel', id });
  }

  /** The control plane's part of the target policy, for this child and those that follow it. */
  setLists(lists: ControlPlaneLists): void {
    this.#lists = lists;
    this.#outgoing.push({ kind: 'lists', lists });
  }

  /** Ends the child at once; what is in flight is answered `internal`. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRestart?.();
    this.#cancelSweep?.();
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    else child.kill('SIGKILL');
    await gone;
  }

  #fork(): void {
    const { program = CHILD, allow, serviceUrl, rootHints = [], log } = this.#options;
    const child = fork(program, [], {
      serialization: 'advanced',
      execArgv: CHILD_FLAGS,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#forkedMs = this.#options.clock.monotonicMs();
    child.on('message', (batch) => this.#receive(batch as FromChild[]));
    child.on('error', (error) => log.error({ err: error }, 'measuring process'));
    child.once('exit', (code, signal) => this.#exited(code, signal));
    const opening: ToChild[] = [{ kind: 'begin', allow, serviceUrl, rootHints }];
    if (this.#lists !== null) opening.push({ kind: 'lists', lists: this.#lists });
    child.send(opening);
  }

  #send(batch: ToChild[]): void {
    const child = this.#child;
    // a job of a child that is gone was answered when it went
    if (child?.connected) child.send(batch, () => undefined);
  }

  #receive(batch: FromChild[]): void {
    for (const message of batch) {
      switch (message.kind) {
        case 'result':
          this.#settle(message);
          break;
        case 'ready':
          this.#capabilities = message.capabilities;
          this.#isReady = true;
          for (const announce of this.#announceReady.splice(0)) announce();
          break;
        case 'lists-refused':
          this.#options.log.error(
            { reason: message.message },
            'the target lists of the control plane are not usable, the ones before stay',
          );
          break;
        case 'fault':
          this.#options.log.error({ probeType: message.type, reason: message.message }, 'a probe engine misbehaved');
          break;
      }
    }
  }

  #settle({ id, resultJson, loopLagMs }: Measurement): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.resolve({ id, resultJson, loopLagMs });
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, log } = this.#options;
    this.#child = null;
    for (const pending of this.#pending.values()) void this.#fail(pending, 'the measuring process ended');
    this.#pending.clear();
    if (this.#isStopping) return;
    if (clock.monotonicMs() - this.#forkedMs > STABLE_MS) this.#restartDelayMs = FIRST_RESTART_MS;
    log.error({ code, signal, restartInMs: this.#restartDelayMs }, 'the measuring process ended');
    this.#cancelRestart = clock.after(this.#restartDelayMs, () => this.#fork());
    this.#restartDelayMs = Math.min(MAX_RESTART_MS, this.#restartDelayMs * 2);
  }

  #sweep(): void {
    const { clock, log } = this.#options;
    this.#cancelSweep = null;
    if (this.#pending.size === 0) return;
    this.#cancelSweep = clock.after(SWEEP_MS, () => this.#sweep(), { unref: true });
    const nowMs = clock.monotonicMs();
    const stuck = [...this.#pending.values()].find((pending) => nowMs > pending.dueMs + STUCK_AFTER_MS);
    if (stuck === undefined) return;
    log.error({ taskId: stuck.job.id, probeType: stuck.job.type }, 'the measuring process is stuck');
    this.#child?.kill('SIGKILL');
  }

  /** The schemas behind a failed result are heavy: the main process loads them only when it has to. */
  async #fail({ job, resolve }: PendingJob, message: string): Promise<void> {
    const { failedRunJson } = await import('./failed-run-json.js');
    resolve({ id: job.id, resultJson: failedRunJson(job, message, this.#options.clock.now()), loopLagMs: 0 });
  }
}
