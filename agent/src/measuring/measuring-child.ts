import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { ChromiumWish } from '../probes/browser/chromium.js';
import type { LookupSources } from '../probes/sources.js';
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
import type { ControlPlaneLists } from './policy-source.js';

//   forked --ready--> knows what it can do --opened--> measures at once --retire--> finishes --last answer--> ended
//      a job 5 s over its deadline: SIGKILL
//      exit, for whatever reason: every job in flight ends `internal`

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/**
 * A leak ends in a restart, not in a machine without memory. A new space of 4 MiB instead of 16 saves 7 MB of an idle
 * child; below that every probe pays for it (1 MiB: twice the CPU). `gc` is for child.ts.
 */
const CHILD_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4', '--expose-gc'];
/** A job is answered this long after its deadline and a child that is to end has ended by then, or the child is stuck. */
const STUCK_AFTER_MS = 5000;
const SWEEP_MS = 1000;

/** What a child answers a job with: a probe or a check. */
type Answer = Extract<FromChild, { kind: 'result' | 'checked' }>;

interface PendingJob {
  readonly job: MeasureJob | CheckJob;
  readonly dueMs: number;
  readonly answer: (answer: Answer) => void;
  /** Answers it as `internal`. `nowMs`: milliseconds since the epoch. */
  readonly fail: (message: string, nowMs: number) => void;
}

/** What every child of an agent is begun with. */
export interface MeasuringOptions {
  /** CIDRs the operator opened to probes. */
  readonly allow: readonly string[];
  /** Origin of the control plane this node serves. */
  readonly serviceUrl: string;
  /** Addresses of a private root of DNS; default: the public root servers. */
  readonly rootHints?: readonly string[];
  /** Whom engines ask about targets; default: what everybody may ask. */
  readonly sources?: LookupSources;
  /** Which Chromium loads pages; default: the one that is found. */
  readonly chromium?: ChromiumWish;
  readonly clock: Clock;
  readonly log: Logger;
  /** The program to fork; tests pass one with engines of their own. */
  readonly program?: string;
}

/** How a child ended; both null: it could not be forked. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a child tells its owner, which hears none of it before the constructor has returned. */
export interface ChildEvents {
  readonly onReady: (capabilities: readonly string[]) => void;
  /** Its engines are loaded and warm: a job is measured at once. Before that, jobs wait in it. */
  readonly onOpened: () => void;
  /** It holds so much that a fresh one should take its place; told again while that is so. */
  readonly onGrown: (rssBytes: number) => void;
  /** Last of all, and always. */
  readonly onEnded: (end: ChildEnd) => void;
}

/** One child process that runs the engines. Every job gets exactly one answer, dead child or not. */
export class MeasuringChild {
  readonly #options: MeasuringOptions;
  readonly #events: ChildEvents;
  readonly #pending = new Map<string, PendingJob>();
  readonly #outgoing = new MessageBatch<ToChild>((batch) => this.#send(batch));
  readonly #process: ChildProcess | null;
  readonly #ended: Promise<void>;
  #settleEnded: () => void = () => undefined;
  #isRetired = false;
  #cancelSweep: (() => void) | null = null;
  readonly forkedMs: number;

  /** Forks it; it may be used at once. `lists`: the control plane's part of the target policy, null before it is known. */
  constructor(options: MeasuringOptions, lists: ControlPlaneLists | null, events: ChildEvents) {
    this.#options = options;
    this.#events = events;
    this.forkedMs = options.clock.monotonicMs();
    this.#ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    this.#process = this.#fork();
    const { allow, serviceUrl, rootHints = [], sources, chromium } = options;
    const opening: ToChild[] = [
      {
        kind: 'begin',
        allow,
        serviceUrl,
        rootHints,
        ...(sources === undefined ? {} : { sources }),
        ...(chromium === undefined ? {} : { chromium }),
      },
    ];
    if (lists !== null) opening.push({ kind: 'lists', lists });
    this.#send(opening);
  }

  /** Null when it could not be forked. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Jobs in flight. */
  get running(): number {
    return this.#pending.size;
  }

  /** Never rejects: a child that dies or is stuck gives an `internal` failure. */
  measure(job: MeasureJob): Promise<Measurement> {
    return new Promise((resolve) => {
      this.#expect(job, {
        answer: (answer) => answer.kind === 'result' && resolve(answer),
        fail: (message, nowMs) => void failedMeasurement(job, message, nowMs).then(resolve),
      });
      this.#outgoing.push({ kind: 'run', ...job });
    });
  }

  /** Never rejects, as measure. */
  check(job: CheckJob): Promise<CheckMeasurement> {
    return new Promise((resolve) => {
      this.#expect(job, {
        answer: (answer) => answer.kind === 'checked' && resolve(answer),
        fail: (message) => resolve(failedCheck(job, message)),
      });
      this.#outgoing.push({ kind: 'check', ...job });
    });
  }

  /** Asks the engine to end; the job is answered as `cancelled`. Jobs of others do nothing. */
  cancel(id: string): void {
    if (this.#pending.has(id)) this.#outgoing.push({ kind: 'cancel', id });
  }

  setLists(lists: ControlPlaneLists): void {
    this.#outgoing.push({ kind: 'lists', lists });
  }

  /** It gets no more jobs: it ends when those in flight are answered. */
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
        execArgv: CHILD_FLAGS,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('message', (batch) => this.#receive(batch as FromChild[]));
      child.on('error', (error) => {
        log.error({ err: error }, 'measuring process');
        // which never began, and so never exits
        if (child.pid === undefined) this.#exited({ code: null, signal: null });
      });
      child.once('exit', (code, signal) => this.#exited({ code, signal }));
      return child;
    } catch (error) {
      // of the reasons not to fork, Node throws the rarer ones (ENOMEM)
      log.error({ err: error }, 'measuring process');
      setImmediate(() => this.#exited({ code: null, signal: null }));
      return null;
    }
  }

  #send(batch: ToChild[]): void {
    // a job of a child that is gone was answered when it went
    if (this.#process?.connected) this.#process.send(batch, () => undefined);
  }

  #receive(batch: FromChild[]): void {
    const { log } = this.#options;
    for (const message of batch) {
      switch (message.kind) {
        case 'result':
        case 'checked':
          this.#settle(message);
          break;
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
            'the target lists of the control plane are not usable, the ones before stay',
          );
          break;
        case 'fault':
          log.error({ probeType: message.type, reason: message.message }, 'a probe engine misbehaved');
          break;
      }
    }
  }

  #expect(job: MeasureJob | CheckJob, how: Pick<PendingJob, 'answer' | 'fail'>): void {
    const { clock } = this.#options;
    this.#pending.set(job.id, { job, dueMs: clock.monotonicMs() + job.deadlineMs, ...how });
    this.#cancelSweep ??= clock.after(SWEEP_MS, () => this.#sweep(), { unref: true });
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    this.#pending.delete(answer.id);
    pending.answer(answer);
    if (this.#isRetired && this.#pending.size === 0) void this.end();
  }

  #exited(end: ChildEnd): void {
    this.#cancelSweep?.();
    const nowMs = this.#options.clock.now();
    for (const { fail } of this.#pending.values()) fail('the measuring process ended', nowMs);
    this.#pending.clear();
    this.#settleEnded();
    this.#events.onEnded(end);
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
