import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import type { ChromiumWish } from '../probes/browser/chromium.js';
import type { LookupSources } from '../probes/sources.js';
import type { ControlPlaneLists } from './policy-source.js';

// What the main process and the measuring child tell each other. Messages of one turn of the event loop travel as ONE
// IPC message, an array: 6 us of main-process CPU each way instead of 21 (64 in flight, serialization 'advanced').

/** A probe on its way to an engine. The spec stays JSON text: only the child reads it. */
export interface MeasureJob {
  readonly id: string;
  readonly type: string;
  readonly specJson: string;
  readonly deadlineMs: number;
  readonly caller: string;
}

/** What came of a job: the AgentResult as JSON text, and the event loop's largest delay meanwhile. */
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
  /** From now to the answer at most. */
  readonly deadlineMs: number;
  /** What of that may be spent waiting for a turn. */
  readonly patienceMs: number;
  /** Whose turn it is: the monitor's. */
  readonly caller: string;
  /** Server time, milliseconds since the epoch: expiry dates are judged by it, for this machine's clock may be off. */
  readonly nowMs: number;
  /** Details of it are of use although all is well. */
  readonly wantsDetails: boolean;
}

/** What came of a check. The result itself stays in the child: only what it means travels. */
export interface CheckMeasurement {
  readonly id: string;
  readonly judgment: CheckJudgment;
  /** What was measured, as JSON that travels (check-details.ts); null: that is of no use, or nothing was. */
  readonly detailsJson: string | null;
  /** When it began to measure: milliseconds since the epoch, this machine's clock; null when it never did. */
  readonly startedAt: number | null;
  readonly loopLagMs: number;
  readonly isDisturbed: boolean;
}

export type ToChild =
  | {
      /** First message. */
      readonly kind: 'begin';
      /** CIDRs the operator opened. */
      readonly allow: readonly string[];
      /** Origin of the control plane this node serves. */
      readonly serviceUrl: string;
      /** Addresses of a private root of DNS; none: the public root servers. */
      readonly rootHints?: readonly string[];
      /** Whom engines ask about targets; none: what everybody may ask. */
      readonly sources?: LookupSources;
      /** Which Chromium loads pages; none: the one that is found. */
      readonly chromium?: ChromiumWish;
    }
  | { readonly kind: 'lists'; readonly lists: ControlPlaneLists }
  | ({ readonly kind: 'run' } & MeasureJob)
  | ({ readonly kind: 'check' } & CheckJob)
  | { readonly kind: 'cancel'; readonly id: string };

export type FromChild =
  | { readonly kind: 'ready'; readonly capabilities: readonly string[] }
  /** Its engines are loaded and warm. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'grown'; readonly rssBytes: number }
  | { readonly kind: 'lists-refused'; readonly message: string }
  | ({ readonly kind: 'result' } & Measurement)
  | ({ readonly kind: 'checked' } & CheckMeasurement)
  /** Something an engine should never do. */
  | { readonly kind: 'fault'; readonly type: string; readonly message: string };

/** Collects what is pushed during one turn of the event loop and hands it over as one batch. */
export class MessageBatch<M> {
  readonly #flush: (batch: M[]) => void;
  #batch: M[] = [];

  constructor(flush: (batch: M[]) => void) {
    this.#flush = flush;
  }

  push(message: M): void {
    if (this.#batch.push(message) > 1) return;
    setImmediate(() => {
      const batch = this.#batch;
      this.#batch = [];
      this.#flush(batch);
    });
  }
}
