import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import { measuringEnv } from '../config.js';
import type { EngineSettings } from '../probes/engine-settings.js';
import {
  type CheckJob,
  type CheckMeasurement,
  type FromChild,
  type MeasureJob,
  type Measurement,
  MessageBatch,
  type ToChild,
} from './child-messages.js';
import { failedCheck } from './failed-check.js';
import { readFromChild } from './from-child.js';
import type { ControlPlaneLists } from './policy-source.js';

//   forked --ready--> knows what it can do --opened--> measures at once --retire--> finishes --last answer--> ended
//      a job 5 s over its deadline, unless this process stood still just now, or a message that no child sends: SIGKILL
//      exit, for whatever reason: every job in flight ends `internal`

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/**
 * A leak ends in a restart, not in a machine without memory. A new space of 4 MiB instead of 16 saves 7 MB of an idle
 * child; below that every probe pays for it (1 MiB: twice the CPU). So little is collected by one thread with less CPU
 * than by several. `gc` is for child.ts.
 */
const CHILD_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4', '--no-parallel-scavenge', '--expose-gc'];
/** A job is answered this long after its deadline and a child that is to end has ended by then, or the child is stuck. */
const STUCK_AFTER_MS = 5000;
const SWEEP_MS = 1000;
/** Messages that answer no job, beyond one for each job: a child says that it is ready, and once a minute that it has grown. */
const MAX_WORDS = 10_000;

/** A child's message about a finished job: a probe or a check. */
type Answer = Extract<FromChild, { kind: 'result' | 'checked' }>;

interface PendingJob {
  readonly job: MeasureJob | CheckJob;
  readonly kind: Answer['kind'];
  readonly dueMs: number;
  readonly answer: (answer: Answer) => void;
  /** Answers it as `internal`. `nowMs`: milliseconds since the epoch. */
  readonly fail: (message: string, nowMs: number) => void;
}

/** Options that every child of an agent is started with. */
export interface MeasuringOptions {
  readonly settings: EngineSettings;
  /** Origin of the control plane this node serves. */
  readonly serviceUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The program to fork; tests pass one with engines of their own. */
  readonly program?: string;
}

/** End of a child; both are null if it could not be forked. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Events of a child. None is reported before the constructor has returned. */
export interface ChildEvents {
  readonly onReady: (capabilities: readonly string[]) => void;
  /**
   * Called when its engines are loaded and warm: from now on a job is measured at once. Before that, jobs wait in it.
   */
  readonly onOpened: () => void;
  /** Called when it holds so much that a fresh child should replace it; repeated while that is so. */
  readonly onGrown: (rssBytes: number) => void;
  /** Last of all, and always. */
  readonly onEnded: (end: ChildEnd) => void;
}

/** One child process that runs the engines. Every job gets exactly one answer, dead child or not. */
export class MeasuringChild {
  readonly #options: MeasuringOptions;
  readonly #events: ChildEvents;
  readonly #pending = new Map<string, PendingJob>();
  readonly #outgoing: MessageBatch<ToChild>;
  readonly #process: ChildProcess | null;
  readonly #ended: Promise<void>;
  #settleEnded: () => void = () => undefined;
  #isRetired = false;
  /** Jobs it was given, and messages of it that answer none. */
  #jobs = 0;
  #words = 0;
  #cancelSweep: (() => void) | null = null;
  #sweepDueMs = 0;
  readonly forkedMs: number;

  /** Forks it; it may be used at once. `lists`: the control plane's part of the target policy, null before it is known. */
  constructor(options: MeasuringOptions, lists: ControlPlaneLists | null, events: ChildEvents) {
    this.#options = options;
    this.#events = events;
    this.#outgoing = new MessageBatch((batch) => this.#send(batch), options.clock);
    this.forkedMs = options.clock.monotonicMs();
    this.#ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    this.#process = this.#fork();
    const { settings, serviceUrl } = options;
    const opening: ToChild[] = [{ kind: 'begin', settings, serviceUrl }];
    if (lists !== null) opening.push({ kind: 'lists', lists });
    this.#send(opening);
  }

  /** Process id; null when it could not be forked. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Jobs in flight. */
  get running(): number {
    return this.#pending.size;
  }

  /** Runs a probe. Never rejects: a child that dies or is stuck gives an `internal` failure. */
  measure(job: MeasureJob): Promise<Measurement> {
    return new Promise((resolve) => {
      this.#expect(job, {
        kind: 'result',
        answer: (answer) => answer.kind === 'result' && resolve(answer),
        fail: (message, nowMs) => void failedMeasurement(job, message, nowMs).then(resolve),
      });
      this.#outgoing.push({ kind: 'run', ...job });
    });
  }

  /** Runs a check. Never rejects, like `measure`. */
  check(job: CheckJob): Promise<CheckMeasurement> {
    return new Promise((resolve) => {
      this.#expect(job, {
        kind: 'checked',
        answer: (answer) => answer.kind === 'checked' && resolve(answer),
        fail: (message) => resolve(failedCheck(job, message)),
      });
      this.#outgoing.push({ kind: 'check', ...job });
    });
  }

  /** Asks the engine to end; the job ends as `cancelled`. An unknown id does nothing. */
  cancel(id: string): void {
    if (this.#pending.has(id)) this.#outgoing.push({ kind: 'cancel', id });
  }

  setLists(lists: ControlPlaneLists): void {
    this.#outgoing.push({ kind: 'lists', lists });
  }

  /** Retires the child: it gets no more jobs and ends when those in flight are done. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) void this.end();
  }

  /** Ends it at once; what is in flight is answered `internal`. Resolves when it is gone. */
  async end(): Promise<void> {
    const child = this.#process;
    if (child?.connected) child.disconnect();
    else child?.kill('SIGKILL');
    const cancelKill = this.#options.clock.after(STUCK_AFTER_MS, () => child?.kill('SIGKILL'), { unref: true });
    await this.#ended;
    cancelKill();
  }

  #fork(): ChildProcess | null {
    const { program = CHILD, log } = this.#options;
    try {
      const child = fork(program, [], {
        serialization: 'advanced',
        env: measuringEnv(),
        execArgv: CHILD_FLAGS,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('message', (batch) => this.#receive(batch));
      child.on('error', (error) => {
        log.error({ err: error }, 'cannot start or reach the measuring process');
        // a process that never started does not emit 'exit'
        if (child.pid === undefined) this.#exited({ code: null, signal: null });
      });
      child.once('exit', (code, signal) => this.#exited({ code, signal }));
      return child;
    } catch (error) {
      // Node throws the rarer failures of fork (ENOMEM)
      log.error({ err: error }, 'cannot start or reach the measuring process');
      setImmediate(() => this.#exited({ code: null, signal: null }));
      return null;
    }
  }

  #send(batch: ToChild[]): void {
    // jobs of a child that ended were settled when it ended
    if (this.#process?.connected) this.#process.send(batch, () => undefined);
  }

  #receive(batch: unknown): void {
    const messages = readFromChild(batch);
    if (messages === null) return this.#distrust('it sent an invalid message');
    for (const message of messages)
      if (!this.#hear(message)) return this.#distrust(`it sent an unexpected "${message.kind}"`);
  }

  /** @returns whether a child in its senses may say this now */
  #hear(message: FromChild): boolean {
    if (message.kind === 'result' || message.kind === 'checked') return this.#settle(message);
    this.#words += 1;
    if (this.#words > MAX_WORDS + this.#jobs) return false;
    this.#note(message);
    return true;
  }

  #note(message: Exclude<FromChild, Answer>): void {
    const { log } = this.#options;
    switch (message.kind) {
      case 'ready':
        this.#events.onReady(message.capabilities);
        break;
      case 'opened':
        this.#events.onOpened();
        break;
      case 'grown':
        this.#events.onGrown(message.rssBytes);
        break;
      case 'lists-refused':
        log.error(
          { reason: message.message },
          'target lists of the control plane are invalid, keeping the previous ones',
        );
        break;
      case 'fault':
        log.error({ probeType: message.type, reason: message.message }, 'probe engine failed');
        break;
    }
  }

  /** Ends a child that was taken over, or is broken: its jobs are answered `internal`, and another child is forked. */
  #distrust(reason: string): void {
    this.#process?.removeAllListeners('message');
    this.#options.log.error({ pid: this.pid, reason }, 'measuring process sent an invalid message, ending it');
    this.#process?.kill('SIGKILL');
  }

  #expect(job: MeasureJob | CheckJob, how: Pick<PendingJob, 'kind' | 'answer' | 'fail'>): void {
    const { clock } = this.#options;
    this.#jobs += 1;
    this.#pending.set(job.id, { job, dueMs: clock.monotonicMs() + job.deadlineMs, ...how });
    if (this.#cancelSweep === null) this.#sweepLater();
  }

  /** @returns whether the answer is one that is waited for: no other result is accepted from a child */
  #settle(answer: Answer): boolean {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined || pending.kind !== answer.kind) return false;
    this.#pending.delete(answer.id);
    pending.answer(answer);
    if (this.#isRetired && this.#pending.size === 0) void this.end();
    return true;
  }

  #exited(end: ChildEnd): void {
    this.#cancelSweep?.();
    const nowMs = this.#options.clock.now();
    for (const { fail } of this.#pending.values()) fail('the measuring process ended', nowMs);
    this.#pending.clear();
    this.#settleEnded();
    this.#events.onEnded(end);
  }

  #sweepLater(): void {
    const { clock } = this.#options;
    this.#sweepDueMs = clock.monotonicMs() + SWEEP_MS;
    this.#cancelSweep = clock.after(SWEEP_MS, () => this.#sweep(), { unref: true });
  }

  #sweep(): void {
    const { clock, log } = this.#options;
    this.#cancelSweep = null;
    if (this.#pending.size === 0) return;
    const nowMs = clock.monotonicMs();
    const lateMs = nowMs - this.#sweepDueMs;
    this.#sweepLater();
    // this process stood still: answers may wait to be read, and the child may have stood still with it
    if (lateMs > SWEEP_MS) return;
    const stuck = [...this.#pending.values()].find((pending) => nowMs > pending.dueMs + STUCK_AFTER_MS);
    if (stuck === undefined) return;
    log.error({ taskId: stuck.job.id, probeType: stuck.job.type }, 'measuring process is stuck, ending it');
    this.#process?.kill('SIGKILL');
  }
}

/**
 * The `internal` failure of a job no engine answered. The schemas behind it are heavy: the main process loads them only
 * when it has to. `nowMs`: milliseconds since the epoch.
 */
export async function failedMeasurement(job: MeasureJob, message: string, nowMs: number): Promise<Measurement> {
  const { failedRunJson } = await import('./failed-run-json.js');
  return { id: job.id, resultJson: failedRunJson(job, message, nowMs), loopLagMs: 0 };
}
