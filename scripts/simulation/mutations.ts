import type { IngestStore } from 'vantage-control/ingest/index.js';
import type { IngestChecks } from './database/ingest-model.js';
import type { SimulatedProcess } from './process.js';

/** What a run breaks in the product on purpose, to see that the checkers notice. */
export interface Mutations extends IngestChecks {
  /** What ingest gets for its store. */
  ingest(store: IngestStore, process: SimulatedProcess): IngestStore;
  /** Whether an agent measures whatever it is sent, again and again. */
  readonly measuresTwice: boolean;
  /** Whether a replica looks for what a database that was away has lost. */
  readonly looksForLoss: boolean;
}

/** The product as it is. */
export const unbroken: Mutations = {
  refusesBanned: true,
  movesMarks: true,
  dropsStored: true,
  ingest: (store) => store,
  measuresTwice: false,
  looksForLoss: true,
};

/** A way to break it, and the invariant that says so when these things happen. */
export interface BrokenProduct {
  readonly name: string;
  readonly mutations: Mutations;
  readonly faults: readonly string[];
  readonly breaks: string;
  /** As in the options of a run. */
  readonly isQuietWhenMended?: boolean;
}

/** The ways there are. */
export const broken: readonly BrokenProduct[] = [
  {
    name: 'acknowledged before the commit',
    mutations: { ...unbroken, ingest: acknowledgeFirst },
    faults: ['replica killed', 'statements fail'],
    breaks: 'I1',
  },
  {
    name: 'the mark not moved',
    mutations: { ...unbroken, movesMarks: false },
    faults: ['connection reset'],
    breaks: 'I9',
  },
  {
    name: 'rows that are stored already not dropped',
    mutations: { ...unbroken, dropsStored: false },
    faults: ['answers of commits are lost'],
    breaks: 'I2',
  },
  {
    name: 'a job measured as often as it is sent',
    mutations: { ...unbroken, measuresTwice: true },
    faults: ['connection reset', 'partition'],
    breaks: 'I2',
  },
  {
    name: 'the ban not checked in the transaction',
    mutations: { ...unbroken, refusesBanned: false },
    faults: ['node banned', 'bus loses messages'],
    breaks: 'I5',
  },
  {
    name: 'what a database lost is not looked for on links that stay',
    mutations: { ...unbroken, looksForLoss: false },
    faults: ['database failed over'],
    breaks: 'I1',
    isQuietWhenMended: true,
  },
];

/** Says what the store is going to answer before it has been asked to store anything. */
function acknowledgeFirst(store: IngestStore, process: SimulatedProcess): IngestStore {
  return {
    ...store,
    storeBatches: async (batches) => {
      process.after(20, () => void store.storeBatches(batches).catch(() => undefined));
      return batches.map(({ first, last }) => ({ kind: 'stored', mark: last, previousMark: first - 1, finished: [] }));
    },
  };
}
