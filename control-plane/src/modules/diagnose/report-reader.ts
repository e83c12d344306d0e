import type { Clock } from '@vantage/shared/clock.js';
import type { FittedReport } from '@vantage/shared/diagnose/fit-report.js';
import { buildReport, type Report } from '@vantage/shared/diagnose/report.js';
import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import type { Knex } from 'knex';
import { ChangeSignal } from '../../runtime/change-signal.js';
import { SharedReads } from '../../runtime/shared-reads.js';
import type { Probes } from '../probes/index.js';
import { BuiltReports, type ResultLists } from './built-reports.js';
import type { Progress } from './portions.js';
import { failedAudits, type ResultsByKind, reportInput } from './report-input.js';
import type { ReportRow, SentTasks, TaskKind } from './report-row.js';
import { findReport } from './report-store.js';

/** A report with its sections as they are now. */
export interface ReportState {
  readonly row: ReportRow;
  readonly report: Report | FittedReport;
  /** Null once the report has ended. */
  readonly progress: Pick<Progress, 'input' | 'failedAudits'> | null;
}

/** Notifies readers of a report: a hint to read again. */
export interface ReportWakeUps {
  subscribe(id: string, listener: () => void): () => void;
}

interface ReportReaderOptions {
  readonly db: Knex;
  readonly probes: Pick<Probes, 'heardResults' | 'storedResults' | 'work'>;
  readonly wakeUps: ReportWakeUps;
  readonly clock: Clock;
  /** Looks up the autonomous system of an address. */
  readonly asnOf: AsnOf;
}

/** Reads reports, once or at every change. Readers of one report share its reads. */
export class ReportReader {
  readonly #heard: SharedReads<ReportState | null>;
  readonly #stored: SharedReads<ReportState | null>;
  readonly #built = new BuiltReports<ReportState>();

  constructor(private readonly options: ReportReaderOptions) {
    const { probes } = options;
    this.#heard = new SharedReads((id) => this.#read(id, (taskId) => probes.heardResults(taskId)));
    this.#stored = new SharedReads((id) => this.#read(id, (taskId) => probes.storedResults(taskId)));
  }

  /** The report as the database has it; null if there is no such report. */
  find(id: string): Promise<ReportState | null> {
    return this.#stored.get(id);
  }

  /**
   * Yields the report, then its newest state at every change, and after `rereadMs` without one, until it has ended or is deleted;
   * ends early on abort.
   */
  async *follow(id: string, signal: AbortSignal, rereadMs: number): AsyncGenerator<ReportState> {
    const changes = new ChangeSignal(this.options.clock);
    const raise = () => changes.raise();
    const subscriptions = new Map([[id, this.options.wakeUps.subscribe(id, raise)]]);
    signal.addEventListener('abort', raise, { once: true });
    try {
      let state = await this.#heard.get(id);
      while (state !== null && !signal.aborted) {
        // what ended before the subscription is read below
        if (this.#subscribe(state.row, subscriptions, raise)) state = await this.#heard.get(id);
        if (state === null) return;
        yield state;
        if (state.row.status !== 'running' || signal.aborted) return;
        const isWoken = await changes.next(rereadMs);
        state = signal.aborted ? null : await (isWoken ? this.#heard : this.#stored).get(id);
      }
    } finally {
      for (const end of subscriptions.values()) end();
      signal.removeEventListener('abort', raise);
    }
  }

  /** True if the report has tasks that were not subscribed to. */
  #subscribe({ tasks }: ReportRow, subscriptions: Map<string, () => void>, raise: () => void): boolean {
    const { waiters } = this.options.probes.work;
    const added = Object.values(tasks)
      .flat()
      .filter((taskId) => !subscriptions.has(taskId));
    for (const taskId of added) subscriptions.set(taskId, waiters.subscribe(taskId, raise));
    return added.length > 0;
  }

  async #read(id: string, resultsOf: ResultsOf): Promise<ReportState | null> {
    const row = await findReport(this.options.db, id);
    if (row === null) return null;
    if (row.report !== null) return { row, report: row.report, progress: null };
    const lists = await readResults(row.tasks, resultsOf);
    return this.#built.of(row, lists, () => {
      const results = byKind(lists);
      const input = reportInput(row, results, this.options.asnOf);
      return { row, report: buildReport(input), progress: { input, failedAudits: failedAudits(results) } };
    });
  }
}

type ResultsOf = (taskId: string) => ReturnType<Probes['heardResults']>;

async function readResults(tasks: SentTasks, resultsOf: ResultsOf): Promise<ResultLists> {
  const kinds = Object.entries(tasks) as [TaskKind, readonly string[]][];
  return Promise.all(kinds.map(async ([kind, ids]) => [kind, await Promise.all(ids.map(resultsOf))] as const));
}

function byKind(lists: ResultLists): ResultsByKind {
  return Object.fromEntries(lists.map(([kind, ofTasks]) => [kind, ofTasks.flat()]));
}
