import type { ParsedFile } from './entry.js';
import type { Step } from './import-plan.js';
import type { ImportReport } from './import-schema.js';

/** A step that was taken, or would be; `id`: of the monitor it made, `heartbeat`: its token where it is a new one. */
export interface Taken {
  readonly step: Step;
  readonly id: string | null;
  readonly heartbeat: NonNullable<ImportReport['created'][number]['heartbeat']> | null;
}

/** What an import says of itself. */
export function importReport(
  head: Pick<ImportReport, 'format' | 'format_guessed' | 'mode' | 'dry_run'>,
  taken: readonly Taken[],
  fileNotes: ParsedFile['notes'],
): ImportReport {
  const lists: Pick<ImportReport, 'created' | 'renamed' | 'replaced' | 'skipped' | 'failed'> = {
    created: [],
    renamed: [],
    replaced: [],
    skipped: [],
    failed: [],
  };
  for (const one of taken) add(lists, one);
  return { ...head, total: taken.length, ...lists, warnings: warningsOf(taken, fileNotes) };
}

type Lists = Pick<ImportReport, 'created' | 'renamed' | 'replaced' | 'skipped' | 'failed'>;

function add(lists: Lists, { step, id, heartbeat }: Taken): void {
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
        ? 'there is a monitor of that name'
        : `entry ${holder.index} of the file has that name and was taken`;
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

/** The same about many entries is said once. */
function warningsOf(taken: readonly Taken[], fileNotes: ParsedFile['notes']): ImportReport['warnings'] {
  const warnings = new Map<string, ImportReport['warnings'][number]>();
  const say = (field: string | null, message: string, index: number | null) => {
    const key = JSON.stringify([field, message]);
    const warning = warnings.get(key) ?? { field, message, indexes: [] };
    if (index !== null && warning.indexes.at(-1) !== index) warning.indexes.push(index);
    warnings.set(key, warning);
  };
  for (const { field, message, index } of fileNotes) say(field, message, index);
  for (const { step } of taken) {
    if (step.kind !== 'create' && step.kind !== 'replace') continue;
    for (const { field, message } of step.notes) say(field, message, step.index);
  }
  return [...warnings.values()];
}
