import type { Clock } from '@vantage/shared/clock.js';
import type { DiagnoseTarget } from '@vantage/shared/diagnose/target.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Lookups } from '../lookups/index.js';
import { askHeaders } from './headers-question.js';
import { noteHeaders } from './report-store.js';

/** Duration after which a question waited for one of another replica, which may have died: it is asked again. In milliseconds. */
const SLOW_MS = 15_000;

interface HeadersRunOptions {
  readonly clock: Clock;
  readonly db: Knex;
  readonly lookups: Pick<Lookups, 'askHeaders'>;
  readonly announce: (id: string) => void;
  readonly log: Logger;
}

/** Question for the headers of one report, in addition to its tasks. */
export class HeadersRun {
  readonly #ending = new AbortController();
  #running: Promise<void> | null = null;

  constructor(
    private readonly id: string,
    private readonly options: HeadersRunOptions,
    private readonly stopping: AbortSignal,
  ) {}

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Asks in the background, and stores the outcome. Without one, the next look at the report asks again. */
  ask(target: DiagnoseTarget): void {
    this.#running = this.#ask(target)
      .catch((err: unknown) => {
        if (!this.stopping.aborted && !this.#ending.signal.aborted)
          this.options.log.warn({ err }, 'cannot ask for the headers of a report, retrying');
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Stops waiting for the answer, which others may wait for. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #ask(target: DiagnoseTarget): Promise<void> {
    const { clock, db, lookups, announce } = this.options;
    const signal = AbortSignal.any([this.stopping, this.#ending.signal]);
    const startedMs = clock.monotonicMs();
    const outcome = await askHeaders(lookups, target, signal);
    // a caller that stops waiting gets an answer that says nothing
    if (outcome === null || signal.aborted) return;
    const isUnanswered = outcome.value === null && outcome.error === null;
    if (isUnanswered && clock.monotonicMs() - startedMs >= SLOW_MS) return;
    await noteHeaders(db, this.id, outcome);
    announce(this.id);
  }
}
