import type { Clock } from '@vantage/shared/clock.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import type { EngineSettings } from '../probes/engine-settings.js';
import type { ControlPlaneLists } from './policy-source.js';

// Messages between the main process and the measuring child. Messages of one turn of the event loop travel as ONE IPC
// message, an array: 6 us of main-process CPU each way instead of 21 (64 in flight, serialization 'advanced'). Checks
// come in ones and twos a turn, however many they are, so that their answers are collected for longer.

/** A probe on its way to an engine. The spec stays JSON text: only the child reads it. */
export interface MeasureJob {
  readonly id: string;
  readonly type: string;
  readonly specJson: string;
  readonly deadlineMs: number;
  readonly caller: string;
}

/** Result of a job: the AgentResult as JSON text, and the event loop's largest delay meanwhile. */
export interface Measurement {
  readonly id: string;
  readonly resultJson: string;
  readonly loopLagMs: number;
}

/** A check of a monitor. Its config stays JSON text: only the child reads it. */
export interface CheckJob {
  readonly id: string;
  /** A type of monitor, perhaps one that this build does not know. */
  readonly type: string;
  readonly target: string;
  readonly configJson: string;
  /** Greatest time from now to the result. */
  readonly deadlineMs: number;
  /** Part of the deadline that may be spent waiting for a turn, in milliseconds. */
  readonly patienceMs: number;
  /** Caller that the turn belongs to: the monitor. */
  readonly caller: string;
  /** Server time, milliseconds since the epoch: expiry dates are judged by it, for this machine's clock may be off. */
  readonly nowMs: number;
  /** True if details are useful although the check is ok. */
  readonly wantsDetails: boolean;
}

/** Result of a check. The probe result itself stays in the child; only its judgment travels. */
export interface CheckMeasurement {
  readonly id: string;
  readonly judgment: CheckJudgment;
  /** Measurements as JSON (check-details.ts); null if none are wanted, or nothing was measured. */
  readonly detailsJson: string | null;
  /** Start of the measurement: milliseconds since the epoch, this machine's clock; null when it never started. */
  readonly startedAt: number | null;
  readonly loopLagMs: number;
  readonly isDisturbed: boolean;
}

export type ToChild =
  | {
      /** First message. */
      readonly kind: 'begin';
      readonly settings: EngineSettings;
      /** Origin of the control plane this node serves. */
      readonly serviceUrl: string;
    }
  | { readonly kind: 'lists'; readonly lists: ControlPlaneLists }
  | ({ readonly kind: 'run' } & MeasureJob)
  | ({ readonly kind: 'check' } & CheckJob)
  | { readonly kind: 'cancel'; readonly id: string };

export type FromChild =
  | { readonly kind: 'ready'; readonly capabilities: readonly string[] }
  /** The child's engines are loaded and warm. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'grown'; readonly rssBytes: number }
  | { readonly kind: 'lists-refused'; readonly message: string }
  | ({ readonly kind: 'result' } & Measurement)
  | ({ readonly kind: 'checked' } & CheckMeasurement)
  /** Fault of an engine that should never occur. */
  | { readonly kind: 'fault'; readonly type: string; readonly message: string };

/** Greatest delay of a message that can wait, in milliseconds: a report of a check is delivered within seconds. */
const PATIENCE_MS = 10;

/** Collects messages and hands them over as one batch, in their order. */
export class MessageBatch<M> {
  readonly #flush: (batch: M[]) => void;
  #batch: M[] = [];
  #isDue = false;
  readonly #clock: Pick<Clock, 'after'>;
  #cancelTimer: (() => void) | null = null;

  constructor(flush: (batch: M[]) => void, clock: Pick<Clock, 'after'>) {
    this.#flush = flush;
    this.#clock = clock;
  }

  /** Hands it over at the end of this turn of the event loop, with all that waits. */
  push(message: M): void {
    this.#batch.push(message);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#handOver());
  }

  /** Hands it over within 10 milliseconds: several travel together, although they come in different turns. */
  pushPatiently(message: M): void {
    this.#batch.push(message);
    if (!this.#isDue) this.#cancelTimer ??= this.#clock.after(PATIENCE_MS, () => this.#handOver());
  }

  #handOver(): void {
    this.#cancelTimer?.();
    const batch = this.#batch;
    [this.#batch, this.#isDue, this.#cancelTimer] = [[], false, null];
    this.#flush(batch);
  }
}
