import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError } from '../../../../http/errors.js';
import type { Account } from '../../../../http/route.js';
import type { ImportFormatName, ImportMode } from '../../../../import-words.js';
import { effectiveLimits, type Plans } from '../../../../plans/index.js';
import type { MonitorActs } from '../../acts/monitor-acts.js';
import type { MonitorAct } from '../../definition/monitor-act.js';
import type { MonitorCreate } from '../../definition/schema.js';
import type { MonitorRow } from '../../definition/store.js';
import { HEARTBEAT, monitorTypeNamed } from '../../definition/type-names.js';
import type { HeartbeatActs } from '../../heartbeats/heartbeat-acts.js';
import type { AssignmentChange } from '../../placement/assignment-announcements.js';
import type { Entry } from '../entry/entry.js';
import { FileReader } from '../file/file-reader.js';
import { unpacked } from '../file/packed-file.js';
import { ImportPlaces } from '../turns/import-places.js';
import type { LoopTurns } from '../turns/loop-turns.js';
import { failedBy, type Holder, ImportPlan, type Step } from './import-plan.js';
import { ReportWriter, type Taken } from './import-report.js';
import type { ImportReport } from './import-schema.js';
import { listGroupNames, listMonitorRows, listTakenNames } from './import-store.js';

/** Greatest total size of files being imported, in bytes; their parsed form takes about three times as much. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Number of monitors created before nodes are notified. */
const ANNOUNCED_AT_ONCE = 100;

/** Dependencies of imports. */
export interface ImportingOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly acts: Pick<MonitorActs, 'createUnannounced' | 'changeUnannounced' | 'fields'>;
  readonly heartbeats: Pick<HeartbeatActs, 'readCreated'>;
  /** Called when the assignments of nodes changed. */
  readonly onAssigned: (changes: readonly AssignmentChange[]) => void;
}

/** File to import, with its options. */
export interface ImportRequest {
  readonly bytes: Buffer;
  /** Format of the file; null if it is to be detected. */
  readonly format: ImportFormatName | null;
  readonly mode: ImportMode;
  /** True to only report what the import would do. */
  readonly isDryRun: boolean;
  /** Signal that stops the import before the next monitor. */
  readonly signal: AbortSignal | null;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Imports monitors from files. A dry run makes the same plan and performs no step. */
export class Importing {
  readonly #reader: FileReader;
  readonly #places = new ImportPlaces(MOST_BYTES);

  constructor(
    private readonly options: ImportingOptions,
    private readonly turns: LoopTurns,
  ) {
    this.#reader = new FileReader(options.clock);
  }

  /**
   * Imports a file; each monitor as a whole or not at all, with its error in the report.
   * @throws ApiError for an error in the file as a whole; CONFLICT while another import of the account is running;
   * UNAVAILABLE if too many are, or if it was aborted, which keeps the monitors created so far
   */
  async run(request: ImportRequest, act: Pick<MonitorAct, 'account' | 'actor'>): Promise<ImportReport> {
    const leave = this.#places.take(act.account.owner.id, request.bytes.length);
    try {
      return await this.#run(request, act);
    } finally {
      leave();
    }
  }

  async #run(request: ImportRequest, act: Pick<MonitorAct, 'account' | 'actor'>): Promise<ImportReport> {
    const { format, mode, isDryRun, signal, onProgress } = request;
    const file = await this.#reader.read(request, signal);
    const writer = new ReportWriter(file.notes);
    const planning = await this.#openPlan(mode, act.account);
    const unannounced: AssignmentChange[] = [];
    let done = 0;
    try {
      for (const pack of file.packs) {
        const entries = unpacked(pack);
        await planning.prepare(entries);
        for (const entry of entries) {
          if (signal?.aborted) throw new ApiError('UNAVAILABLE');
          const step = await planning.plan.next(entry);
          writer.add(isDryRun ? withoutId(step) : await this.#takeOne(step, act, unannounced));
          done += 1;
          if (done % ANNOUNCED_AT_ONCE === 0) this.#announce(unannounced);
          if (!isDryRun) onProgress?.(done, file.total);
          await this.turns.pass();
        }
      }
    } finally {
      this.#announce(unannounced);
    }
    return writer.report({ format: file.format, format_guessed: format === null, mode, dry_run: isDryRun });
  }

  /** Plan for the present state of an account; `prepare` reads the monitors that the next entries replace. */
  async #openPlan(mode: ImportMode, account: Account) {
    const { db, plans, acts } = this.options;
    const taken = await listTakenNames(db, account.owner.id);
    const idsByName = new Map(mode === 'replace' ? taken.map(({ id, name }) => [name, id]) : []);
    const rows = new Map<string, MonitorRow>();
    const plan = new ImportPlan({
      mode,
      plan: effectiveLimits(plans, account),
      names: taken.map(({ id, name, is_test }): [string, Holder] => [
        name,
        { kind: 'stored', id, isOwn: !account.owner.isTest || is_test },
      ]),
      rows,
      groups: await listGroupNames(db, account.owner),
      judge: (body, before) =>
        before === null ? acts.fields.ofNew(body, account) : acts.fields.ofChanged(changeOf(body), before, account),
    });
    const prepare = async (entries: readonly Entry[]) => {
      const ids = entries.flatMap(({ name }) => idsByName.get(name?.trim() ?? '') ?? []);
      rows.clear();
      for (const row of ids.length === 0 ? [] : await listMonitorRows(db, account.owner, ids)) rows.set(row.id, row);
    };
    return { plan, prepare };
  }

  #announce(unannounced: AssignmentChange[]): void {
    this.options.onAssigned(unannounced.splice(0));
  }

  async #takeOne(
    step: Step,
    act: Pick<MonitorAct, 'account' | 'actor'>,
    unannounced: AssignmentChange[],
  ): Promise<Taken> {
    if (step.kind !== 'create' && step.kind !== 'replace') return withoutId(step);
    try {
      const change = await this.#perform(step, act);
      const { id } = change;
      unannounced.push(change);
      const isNewHeartbeat = step.kind === 'create' && monitorTypeNamed(step.body.type) === HEARTBEAT;
      const { db, heartbeats } = this.options;
      return { step, id, heartbeat: isNewHeartbeat ? await heartbeats.readCreated(db, id) : null };
    } catch (error) {
      // a concurrent request took the name, the capacity or the group
      return withoutId({ kind: 'fail', ...failedBy(error, step) });
    }
  }

  #perform(
    step: Extract<Step, { kind: 'create' | 'replace' }>,
    act: Pick<MonitorAct, 'account' | 'actor'>,
  ): Promise<AssignmentChange> {
    const { acts } = this.options;
    const inGroup = step.groupName === null ? act : { ...act, groupName: step.groupName };
    if (step.kind === 'replace') return acts.changeUnannounced(step.id, step.body, inGroup);
    return acts.createUnannounced(step.body, step.isPaused ? { ...inGroup, isPaused: true } : inGroup);
  }
}

function withoutId(step: Step): Taken {
  return { step, id: null, heartbeat: null };
}

function changeOf(body: MonitorCreate) {
  const { type: _, ...change } = body;
  return change;
}
