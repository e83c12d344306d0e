import type { Probes } from '../probes/index.js';
import type { ReportRow, TaskKind } from './report-row.js';

type Results = Awaited<ReturnType<Probes['storedResults']>>;

/** Results so far of the tasks of each kind. Those of a large task are one list until they change. */
export type ResultLists = readonly (readonly [TaskKind, readonly Results[]])[];

interface Built<S> {
  readonly key: string;
  readonly state: S;
}

/**
 * Reports of large results: one is built when its row or a result has changed, not for each reader. A report is forgotten with the
 * results of its large tasks.
 */
export class BuiltReports<S> {
  readonly #built = new WeakMap<Results, Built<S>>();

  of(row: ReportRow, byKind: ResultLists, build: () => S): S {
    const lists = byKind.flatMap(([, ofTasks]) => ofTasks);
    const key = JSON.stringify([row, byKind.map(([kind, ofTasks]) => [kind, ofTasks.map(versionOf)])]);
    const known = lists.map((list) => this.#built.get(list)).find((built) => built?.key === key);
    if (known !== undefined) return known.state;
    const state = build();
    for (const list of lists) this.#built.set(list, { key, state });
    return state;
  }
}

/** The nodes that have ended, each with or without a result: a stored result does not change. */
function versionOf(results: Results): unknown {
  return results.map(({ nodeId, result }) => [nodeId, 'started_at' in result ? result.started_at : null]);
}
