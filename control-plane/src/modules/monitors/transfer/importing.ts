import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import type { ImportFormatName, ImportMode } from '../../../import-words.js';
import type { Plans } from '../../../plans.js';
import type { HeartbeatParts } from '../heartbeat-parts.js';
import type { MonitorAct, MonitorActs, Untold } from '../monitor-acts.js';
import type { MonitorCreate } from '../schema.js';
import { HEARTBEAT, monitorTypeNamed } from '../type-names.js';
import { EntryError, type ParsedFile } from './entry.js';
import { parseAs } from './formats.js';
import { failedBy, type Holder, ImportPlan, type Step } from './import-plan.js';
import { importReport, type Taken } from './import-report.js';
import type { ImportReport } from './import-schema.js';
import { listGroupNames, listMonitorRows, listTakenNames } from './import-store.js';
import { readFile } from './read-file.js';
import { YamlReader } from './yaml-reader.js';

/** Entries that are judged before others get a turn of the event loop. */
const JUDGED_AT_ONCE = 20;

/** Monitors that are made before nodes are told: for each telling a node's whole list is read. */
const TOLD_AT_ONCE = 100;

/** What an import needs of this service. */
export interface ImportingOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly acts: Pick<MonitorActs, 'createUntold' | 'changeUntold' | 'fieldsOfNew' | 'fieldsOfChanged'>;
  readonly heartbeats: Pick<HeartbeatParts, 'readCreated'>;
  /** Assignments of these nodes changed. */
  readonly onAssigned: (nodeIds: readonly string[]) => void;
}

/** A file, and what is to become of it. */
export interface ImportRequest {
  readonly bytes: Buffer;
  /** Null: told from the file. */
  readonly format: ImportFormatName | null;
  readonly mode: ImportMode;
  /** Says what would be done, and does nothing. */
  readonly isDryRun: boolean;
  /** Aborted: no further monitor is begun. */
  readonly signal: AbortSignal | null;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Makes monitors of files. A dry run plans as a real one does, and takes no step. */
export class Importing {
  readonly #yaml: YamlReader;

  constructor(private readonly options: ImportingOptions) {
    this.#yaml = new YamlReader(options.clock);
  }

  /**
   * Each monitor is imported whole or not at all; what is wrong with one is in the report.
   * @throws ApiError for what is wrong with the file as a whole; UNAVAILABLE when it was aborted, what was made stays
   */
  async run(request: ImportRequest, act: Pick<MonitorAct, 'account' | 'actor'>): Promise<ImportReport> {
    const { format, mode, isDryRun } = request;
    const file = parsed(await readFile(request.bytes, this.#yaml), format);
    const steps = await this.#plan(file, mode, act);
    const taken = isDryRun ? steps.map(withoutId) : await this.#take(steps, request, act);
    const head = { format: file.format, format_guessed: format === null, mode, dry_run: isDryRun };
    return importReport(head, taken, file.notes);
  }

  async #plan({ entries }: ParsedFile, mode: ImportMode, { account }: Pick<MonitorAct, 'account'>): Promise<Step[]> {
    const { db, plans, acts } = this.options;
    const taken = await listTakenNames(db, account.userId);
    const wanted = new Set(entries.map(({ name }) => name?.trim()));
    const replaceable = mode === 'replace' ? taken.filter(({ name }) => wanted.has(name)) : [];
    const ids = replaceable.map(({ id }) => id);
    const rows = await listMonitorRows(db, account, ids);
    const plan = new ImportPlan({
      mode,
      plan: plans[account.plan],
      names: taken.map(({ id, name, is_test }): [string, Holder] => [
        name,
        { kind: 'stored', id, isOwn: !account.isTest || is_test },
      ]),
      rows: new Map(rows.map((row) => [row.id, row])),
      groups: await listGroupNames(db, account),
      judge: (body, before) =>
        before === null ? acts.fieldsOfNew(body, account) : acts.fieldsOfChanged(changeOf(body), before, account),
    });
    const steps: Step[] = [];
    for (const entry of entries) {
      steps.push(await plan.next(entry));
      if (steps.length % JUDGED_AT_ONCE === 0) await setImmediate();
    }
    return steps;
  }

  async #take(
    steps: readonly Step[],
    { signal, onProgress }: ImportRequest,
    act: Pick<MonitorAct, 'account' | 'actor'>,
  ): Promise<Taken[]> {
    const taken: Taken[] = [];
    const untold = new Set<string>();
    const tell = () => {
      this.options.onAssigned([...untold]);
      untold.clear();
    };
    try {
      for (const step of steps) {
        if (signal?.aborted) throw new ApiError('UNAVAILABLE');
        taken.push(await this.#takeOne(step, act, untold));
        if (taken.length % TOLD_AT_ONCE === 0) tell();
        onProgress?.(taken.length, steps.length);
      }
    } finally {
      tell();
    }
    return taken;
  }

  async #takeOne(step: Step, act: Pick<MonitorAct, 'account' | 'actor'>, untold: Set<string>): Promise<Taken> {
    if (step.kind !== 'create' && step.kind !== 'replace') return withoutId(step);
    try {
      const { id, nodeIds } = await this.#perform(step, act);
      for (const nodeId of nodeIds) untold.add(nodeId);
      const isNewHeartbeat = step.kind === 'create' && monitorTypeNamed(step.body.type) === HEARTBEAT;
      const { db, heartbeats } = this.options;
      return { step, id, heartbeat: isNewHeartbeat ? await heartbeats.readCreated(db, id) : null };
    } catch (error) {
      // somebody else was faster: took the name, the room or the group
      return withoutId({ kind: 'fail', ...failedBy(error, step) });
    }
  }

  #perform(
    step: Extract<Step, { kind: 'create' | 'replace' }>,
    act: Pick<MonitorAct, 'account' | 'actor'>,
  ): Promise<Untold> {
    const { acts } = this.options;
    const inGroup = step.groupName === null ? act : { ...act, groupName: step.groupName };
    if (step.kind === 'replace') return acts.changeUntold(step.id, step.body, inGroup);
    return acts.createUntold(step.body, step.isPaused ? { ...inGroup, isPaused: true } : inGroup);
  }
}

function withoutId(step: Step): Taken {
  return { step, id: null, heartbeat: null };
}

function changeOf(body: MonitorCreate) {
  const { type: _, ...change } = body;
  return change;
}

function parsed(value: unknown, format: ImportFormatName | null) {
  try {
    return parseAs(value, format);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    const { field, code, message } = error;
    throw new ApiError('VALIDATION_FAILED', { details: { [field]: [{ code, message }] } });
  }
}
