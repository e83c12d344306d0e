import type { Note, ParsedFile } from '../entry/entry.js';
import type { Step } from './import-plan.js';
import type { ImportReport } from './import-schema.js';

/** Performed or planned step; `id`: id of the monitor, `heartbeat`: token and addresses of a new heartbeat. */
export interface Taken {
  readonly step: Step;
  readonly id: string | null;
  readonly heartbeat: NonNullable<ImportReport['created'][number]['heartbeat']> | null;
}

/** Greatest number of different warnings in a report. */
const MAX_WARNINGS = 1_000;

type Lists = Pick<ImportReport, 'created' | 'renamed' | 'replaced' | 'skipped' | 'failed'>;

/** Writes the report of an import, entry by entry. */
export class ReportWriter {
  readonly #lists: Lists = { created: [], renamed: [], replaced: [], skipped: [], failed: [] };
  readonly #warnings = new Map<string, ImportReport['warnings'][number]>();
  #total = 0;
  #unsaid = 0;

  constructor(fileNotes: ParsedFile['notes']) {
    for (const { index, ...note } of fileNotes) this.#say(note, index);
  }

  /** Adds the outcome of the next entry. */
  add(taken: Taken): void {
    const { step } = taken;
    this.#total += 1;
    addTo(this.#lists, taken);
    if (step.kind !== 'create' && step.kind !== 'replace') return;
    for (const note of step.notes) this.#say(note, step.index);
  }

  /** Report, after all entries were added. */
  report(head: Pick<ImportReport, 'format' | 'format_guessed' | 'mode' | 'dry_run'>): ImportReport {
    const warnings = [...this.#warnings.values()];
    const message = `${this.#unsaid} more warnings were omitted`;
    if (this.#unsaid > 0) warnings.push({ field: null, message, indexes: [] });
    return { ...head, total: this.#total, ...this.#lists, warnings };
  }

  /** Adds warnings; the same warning about several entries is listed once. */
  #say({ field, message }: Note, index: number | null): void {
    const key = JSON.stringify([field, message]);
    const warning = this.#warnings.get(key) ?? { field, message, indexes: [] };
    if (!this.#warnings.has(key) && this.#warnings.size === MAX_WARNINGS) this.#unsaid += 1;
    else this.#warnings.set(key, warning);
    if (index !== null && warning.indexes.at(-1) !== index) warning.indexes.push(index);
  }
}

function addTo(lists: Lists, { step, id, heartbeat }: Taken): void {
  const { index, name } = step;
  const token = heartbeat === null ? {} : { heartbeat };
  switch (step.kind) {
    case 'create':
      if (step.renamedFrom === null) lists.created.push({ index, name: step.name, id, ...token });
      else lists.renamed.push({ index, name: step.name, id, renamed_from: step.renamedFrom, ...token });
      return;
    case 'replace':
      lists.replaced.push({ index, name: step.name, id: step.id });
      return;
    case 'skip': {
      const { holder } = step;
      const isStored = holder.kind === 'stored';
      const message = isStored
        ? 'a monitor with this name exists'
        : `entry ${holder.index} of the file has this name and was used`;
      const heldBy = isStored && holder.isOwn ? holder.id : null;
      lists.skipped.push({ index, name: step.name, id: heldBy, reason: 'name_taken', message });
      return;
    }
    case 'fail': {
      const { kind: _, ...failed } = step;
      lists.failed.push({ ...failed, name });
    }
  }
}
