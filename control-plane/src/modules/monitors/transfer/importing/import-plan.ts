import { parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { findUnstorableText } from '@vantage/shared/text.js';
import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { errorTable } from '../../../../http/error-table.js';
import { ApiError } from '../../../../http/errors.js';
import type { ImportMode } from '../../../../import-words.js';
import type { Plan } from '../../../../plans/index.js';
import { type MonitorChange, type MonitorCreate, MonitorCreateSchema } from '../../definition/schema.js';
import type { MonitorRow } from '../../definition/store.js';
import { HEARTBEAT } from '../../definition/type-names.js';
import { MAX_GROUPS } from '../../groups/monitor-groups.js';
import { type DraftMonitor, type Entry, EntryError, type Note } from '../entry/entry.js';
import { shortened } from '../entry/entry-size.js';
import type { ImportReport } from './import-schema.js';
import { nextInterval } from './intervals-up.js';
import { NameBook } from './name-book.js';
import { withSecretsKept } from './secrets-left-out.js';

// Plans entries one after another; each takes into account names, capacity and groups used by the earlier ones.

/** Holder of a name: a stored monitor or an entry of the file. */
export type Holder =
  | { readonly kind: 'stored'; readonly id: string; readonly isOwn: boolean }
  | { readonly kind: 'entry'; readonly index: number };

/** State of an account before an import. */
export interface ImportGround {
  readonly mode: ImportMode;
  readonly plan: Plan;
  readonly names: readonly (readonly [name: string, by: Holder])[];
  /** Monitors that may be replaced, by id. */
  readonly rows: ReadonlyMap<string, MonitorRow>;
  readonly groups: readonly string[];
  /** Validates a monitor, except against other monitors. @throws ApiError */
  readonly judge: (body: MonitorCreate, before: MonitorRow | null) => Promise<unknown>;
}

/** Decided properties of an entry to be imported. */
interface Settled {
  readonly index: number;
  readonly name: string;
  readonly groupName: string | null;
  readonly notes: readonly Note[];
}

export type Failed = ImportReport['failed'][number];

/** Planned step for an entry. */
export type Step =
  | ({
      readonly kind: 'create';
      readonly body: MonitorCreate;
      readonly isPaused: boolean;
      readonly renamedFrom: string | null;
    } & Settled)
  | ({ readonly kind: 'replace'; readonly body: MonitorChange; readonly id: string } & Settled)
  | { readonly kind: 'skip'; readonly index: number; readonly name: string; readonly holder: Holder }
  | ({ readonly kind: 'fail' } & Failed);

const MAX_GROUP_NAME = 200;
const checkBody = compileSchema(MonitorCreateSchema);

/** Plans an import, an entry at a time. */
export class ImportPlan {
  readonly #names: NameBook<Holder>;
  readonly #groups: Set<string>;
  #count: number;

  constructor(private readonly ground: ImportGround) {
    this.#names = new NameBook(ground.names);
    this.#groups = new Set(ground.groups);
    this.#count = ground.names.length;
  }

  /** Plans the step for the next entry. */
  async next(entry: Entry): Promise<Step> {
    try {
      return await this.#decide(entry);
    } catch (error) {
      return { kind: 'fail', ...failedBy(error, entry) };
    }
  }

  async #decide({ index, name: written, draft, notes }: Entry): Promise<Step> {
    const name = nameFrom(written);
    const holder = this.#names.find(name);
    if (holder !== null && this.ground.mode === 'skip') return { kind: 'skip', index, name, holder };
    if (draft instanceof EntryError) throw draft;
    const own = [...notes];
    const body = this.#bodyOf(draft, name, own);
    const groupName = groupFrom(draft);
    if (holder !== null && this.ground.mode === 'replace') {
      const before = this.#replaced(holder, name);
      return this.#replace({ index, name, groupName, notes: own }, { draft, body, before });
    }
    const free = holder === null ? name : this.#names.freeOf(name);
    const whole = await this.#checked({ ...body, name: free }, draft, null);
    if (this.ground.plan.monitors !== null && this.#count >= this.ground.plan.monitors)
      throw noRoom(this.ground.plan.monitors);
    this.#takeGroup(groupName);
    this.#names.take(free, { kind: 'entry', index });
    this.#count += 1;
    const renamedFrom = holder === null ? null : name;
    return {
      kind: 'create',
      index,
      name: free,
      groupName,
      notes: own,
      body: whole,
      isPaused: draft.isPaused,
      renamedFrom,
    };
  }

  async #replace(
    settled: Settled,
    { draft, body, before }: { readonly draft: DraftMonitor; readonly body: object; readonly before: MonitorRow },
  ): Promise<Step> {
    if (parseTypeName(String(draft.body['type'])) !== before.type)
      throw new EntryError(
        'type',
        'conflict',
        `the monitor with this name has the type ${before.type}, which cannot change`,
      );
    const whole = await this.#checked({ ...body, name: settled.name }, draft, before);
    const notes = [...settled.notes];
    if (draft.isPaused && before.status === 'active')
      notes.push({
        field: 'active',
        message: 'was not imported: a replaced monitor stays paused or active',
      });
    this.#takeGroup(settled.groupName);
    this.#names.take(settled.name, { kind: 'entry', index: settled.index });
    const { type: _, name: __, ...change } = whole;
    return {
      kind: 'replace',
      ...settled,
      notes,
      id: before.id,
      body: settled.groupName === null ? { ...change, group_id: null } : change,
    };
  }

  #replaced(holder: Holder, name: string): MonitorRow {
    if (holder.kind === 'entry')
      throw new EntryError('name', 'conflict', `entry ${holder.index} of the file also has the name "${name}"`);
    const row = this.ground.rows.get(holder.id);
    if (row === undefined || !holder.isOwn) throw new ApiError('MONITOR_NAME_TAKEN');
    return row;
  }

  #bodyOf({ body, intervalSeconds }: DraftMonitor, name: string, notes: Note[]): Record<string, unknown> {
    // the interval of a heartbeat is derived from its settings
    const isTimed = intervalSeconds !== null && parseTypeName(String(body['type'])) !== HEARTBEAT;
    if (!isTimed) return { ...body, name };
    const note = (field: string | null, message: string) => notes.push({ field, message });
    return { ...body, name, interval_s: nextInterval(intervalSeconds, this.ground.plan, note) };
  }

  async #checked(
    body: Record<string, unknown>,
    draft: DraftMonitor,
    before: MonitorRow | null,
  ): Promise<MonitorCreate> {
    const config = withSecretsKept(body['config'], draft.leftOut, before?.config ?? null);
    const whole = structuredClone({ ...body, config });
    const unstorable = findUnstorableText(whole);
    if (unstorable !== null)
      throw new EntryError(unstorable, 'format', 'must not contain U+0000 or an unpaired surrogate');
    const checked = checkBody(whole);
    if (!checked.ok) throw new ApiError('VALIDATION_FAILED', { details: checked.details });
    await this.ground.judge(checked.value, before);
    return checked.value;
  }

  #takeGroup(name: string | null): void {
    if (name === null || this.#groups.has(name)) return;
    if (this.#groups.size >= MAX_GROUPS)
      throw new EntryError('group', 'refused', `${MAX_GROUPS} exist, the maximum of an account`);
    this.#groups.add(name);
  }
}

function nameFrom(written: string | null): string {
  const name = written?.trim() ?? '';
  if (name === '') throw new EntryError('name', 'required', 'is required');
  return name;
}

function groupFrom({ group }: DraftMonitor): string | null {
  const name = group?.trim() ?? '';
  if (name.length > MAX_GROUP_NAME)
    throw new EntryError('group', 'length', `must not have more than ${MAX_GROUP_NAME} characters`);
  return name === '' ? null : name;
}

function noRoom(most: number): ApiError {
  const message = `${most} exist, which is the maximum of the plan`;
  return new ApiError('MONITOR_LIMIT_EXCEEDED', { details: { monitors: [{ code: 'refused', message }] } });
}

/** Entry of the report for an error of an entry. @throws the error itself if it is internal */
export function failedBy(error: unknown, { index, name }: Pick<Failed, 'index' | 'name'>): Failed {
  if (error instanceof EntryError) {
    const { field, code: problem, message } = error;
    return { index, name, code: 'VALIDATION_FAILED', field, problem, message: `${field} ${message}` };
  }
  if (!(error instanceof ApiError)) throw error;
  const [first = null] = Object.keys(error.details ?? {});
  const message = first === null ? errorTable[error.code].messages.en : described(error.details ?? {});
  const [field, problem] = [first === null ? null : shortened(first), error.details?.[first ?? '']?.[0]?.code ?? null];
  return { index, name, code: error.code, field, problem, message };
}

/** Greatest number of errors that a message names. */
const MAX_NAMED = 5;

function described(details: FieldErrors): string {
  const all = Object.entries(details).map(
    ([field, errors]) => `${shortened(field)} ${shortened(errors.map(({ message }) => message).join(', '))}`,
  );
  const more = all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : '';
  return all.slice(0, MAX_NAMED).join('; ') + more;
}
