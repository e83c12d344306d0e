import { fitReport } from '@vantage/shared/diagnose/fit-report.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../runtime/background.js';
import type { Lookups } from '../lookups/index.js';
import type { Probes } from '../probes/index.js';
import { HeadersRun } from './headers-run.js';
import type { DiagnoseMetrics } from './metrics.js';
import { type NextStep, nextStep, withTask } from './portions.js';
import { reportSpec, typeOf } from './probe-spec.js';
import type { ReportReader, ReportState } from './report-reader.js';
import type { PaidReport, ReportRow } from './report-row.js';
import { claimDue, endReport, noteTask, renewLease } from './report-store.js';
import { unusedTests } from './unused-tests.js';

// A report is worked on by the replica that created it. If that one dies, its lease runs out and another one goes on: all that a
// report needs is stored, and every step is taken once, no matter which replica takes it.
//
//   running ──next step──> task created and noted in one transaction ──results──> … ──all sections ended, or deadline──> stored
//      └──lease ran out──> claimed by the sweep of any replica, which goes on

/** Time for the tasks of a report, in milliseconds. */
export const REPORT_DEADLINE_MS = 60_000;
/** Time after its last sign of life for which a replica keeps a report, in milliseconds. */
export const LEASE_MS = 5_000;
const RENEW_MS = 1_500;
const SWEEP_MS = 1_000;
/** Interval of looks at a report without a change: budgets refill, deadlines pass. */
const LOOK_MS = 500;
const CLAIMED_AT_ONCE = 20;

interface ReportRunsOptions extends BackgroundParts {
  readonly reader: ReportReader;
  readonly probes: Pick<Probes, 'submit' | 'refundNodeTests'>;
  readonly lookups: Pick<Lookups, 'askHeaders'>;
  /** Wakes the readers of a report on every replica. */
  readonly announce: (id: string) => void;
  readonly metrics: DiagnoseMetrics;
}

/** Works on the reports of this replica, and on those of replicas that died. */
export class ReportRuns {
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #rounds: Rounds;

  constructor(private readonly options: ReportRunsOptions) {
    const { clock, log } = options;
    this.#rounds = background({
      name: 'reports',
      everyMs: SWEEP_MS,
      look: (isStopped) => workOff(isStopped, CLAIMED_AT_ONCE, () => this.#takeOver()),
      failing: 'cannot look for reports of replicas that died, retrying',
      clock,
      log,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Leaves reports as they are: other replicas, or this one after its restart, go on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
    await Promise.all(this.#running.values());
  }

  /** Works on a report in the background until it has ended. */
  run(id: string): void {
    if (this.#running.has(id) || this.#stopping.signal.aborted) return;
    const run = this.#run(id)
      .catch((err: unknown) => {
        // its lease ends, and the sweep of a replica goes on
        if (!this.#stopping.signal.aborted) this.options.log.warn({ err }, 'cannot go on with a report, retrying');
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, run);
  }

  /** Returns the node tests of a report that did not run. */
  async refund(report: PaidReport): Promise<void> {
    const unused = unusedTests(report);
    if (report.receipt !== null && unused > 0) await this.options.probes.refundNodeTests(report.receipt, unused);
  }

  async #takeOver(): Promise<number> {
    const ids = await claimDue(this.options.db, LEASE_MS, CLAIMED_AT_ONCE);
    for (const id of ids) this.run(id);
    this.options.metrics.countTakeovers(ids.length);
    return ids.length;
  }

  async #run(id: string): Promise<void> {
    const { clock, db, reader } = this.options;
    const { signal } = this.#stopping;
    const headers = new HeadersRun(id, this.options, signal);
    let renewedMs = clock.monotonicMs();
    try {
      for await (const state of reader.follow(id, signal, LOOK_MS)) {
        if (clock.monotonicMs() - renewedMs >= RENEW_MS) {
          renewedMs = clock.monotonicMs();
          await renewLease(db, id, LEASE_MS);
        }
        await this.#advance(state, headers);
      }
    } finally {
      await headers.end();
    }
  }

  async #advance(state: ReportState, headers: HeadersRun): Promise<void> {
    const { row, report, progress } = state;
    if (progress === null) return;
    if (await this.#takeSteps({ row, progress }, headers)) this.options.announce(row.id);
    else if (report.status !== 'running') await this.#end(row.id);
  }

  /** Takes the steps that can be taken now, in their order; true if tasks were created. */
  async #takeSteps(
    { row, progress }: Pick<ReportState, 'row'> & { readonly progress: NonNullable<ReportState['progress']> },
    headers: HeadersRun,
  ): Promise<boolean> {
    let { tasks } = row;
    for (;;) {
      const step = nextStep({ ...progress, row: { ...row, tasks }, areHeadersRequested: headers.isRunning });
      if (step === null) break;
      if (step.kind === 'headers') {
        headers.ask(progress.input.target);
        continue;
      }
      const taskId = await this.#submit(row, step);
      // the budget is used up for now, or another replica was faster
      if (taskId === null) break;
      tasks = withTask(tasks, step.kind, taskId);
    }
    return tasks !== row.tasks;
  }

  #submit(row: ReportRow, { kind, portion, target, nodeIds }: Exclude<NextStep, { kind: 'headers' }>) {
    const type = typeOf(kind);
    const asker =
      kind === 'zone_audit'
        ? ({ ownerId: null, isTest: false, isInternal: true } as const)
        : { ownerId: row.owner_id, isTest: row.is_test };
    return this.options.probes.submit({ type, spec: reportSpec(type, target), nodeIds, ...asker }, (trx, taskId) =>
      noteTask(trx, { id: row.id, kind, portion, taskId }),
    );
  }

  /** Stores the report as the database has its results: of this replica's memory some may be missing. */
  async #end(id: string): Promise<void> {
    const { db, metrics, reader, announce } = this.options;
    const state = await reader.find(id);
    if (state === null || state.progress === null || state.report.status === 'running') return;
    const ended = await endReport(db, id, fitReport(state.report));
    if (ended === null) return;
    metrics.countEnd(state.report.status, ended.seconds);
    announce(id);
    await this.refund(ended);
  }
}
