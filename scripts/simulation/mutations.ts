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
  /** Whether an agent's next process goes on from how far the one before had come. */
  readonly resumesSlots: boolean;
  /** Whether a slot counts as told only when the disk has it. */
  readonly waitsForDisk: boolean;
  /** Whether an agent takes another generation of what it watches. */
  readonly takesGenerations: boolean;
}

/** The product as it is. */
export const unbroken: Mutations = {
  refusesBanned: true,
  movesMarks: true,
  dropsStored: true,
  dropsTold: true,
  ingest: (store) => store,
  measuresTwice: false,
  looksForLoss: true,
  resumesSlots: true,
  waitsForDisk: true,
  takesGenerations: true,
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
  {
    name: 'no gap for the time between two processes of an agent',
    mutations: { ...unbroken, resumesSlots: false },
    faults: ['agent killed'],
    breaks: 'I3',
  },
  {
    name: 'a slot is told as soon as it is in memory',
    mutations: { ...unbroken, waitsForDisk: false },
    faults: ['agent killed', 'disk refuses', 'slow disk'],
    breaks: 'I3',
  },
  {
    name: 'a slot is stored as often as it is told',
    mutations: { ...unbroken, dropsTold: false },
    faults: ['state restored from a copy'],
    breaks: 'I3',
  },
  {
    name: 'what is watched stays as it was first',
    mutations: { ...unbroken, takesGenerations: false },
    faults: ['connection reset'],
    breaks: 'I3',
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
