import { firstOf } from 'vantage-control/ingest/batch.js';
import type { IngestStore } from 'vantage-control/ingest/index.js';
import type { AlertChecks } from './database/alerts-model.js';
import type { IngestChecks } from './database/ingest-model.js';
import type { SimulatedProcess } from './process.js';

/** Switches with which a run deliberately breaks the product, to prove that the checkers notice. */
export interface Mutations extends IngestChecks, AlertChecks {
  /** Replaces the store of ingest. */
  ingest(store: IngestStore, process: SimulatedProcess): IngestStore;
  /** True if an agent measures whatever it is sent, again and again. */
  readonly measuresTwice: boolean;
  /** True if a replica looks for rows that a database lost while it was away. */
  readonly looksForLoss: boolean;
  /** True if an agent's next process continues from the progress of the previous one. */
  readonly resumesSlots: boolean;
  /** True if a slot counts as reported only when the disk has it. */
  readonly waitsForDisk: boolean;
  /** True if an agent accepts another generation of an assignment. */
  readonly takesGenerations: boolean;
  /** True if a message is recorded as sent before it is sent. */
  readonly marksFirst: boolean;
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
  tellsEnds: true,
  leasesChannels: true,
  remembersClaims: true,
  marksFirst: false,
};

/** A way to break it, and the invariant that says so when these things happen. */
export interface BrokenProduct {
  readonly name: string;
  readonly mutations: Mutations;
  readonly faults: readonly string[];
  readonly breaks: string;
  /** A seed that says so: one needs no search for it. */
  readonly seed: number;
  /** True as in the options of a run. */
  readonly isQuietWhenMended?: boolean;
  /** As in the options of a run: a product that never gets well again need not be given long. */
  readonly patienceMs?: number;
}

/** The ways there are. */
export const broken: readonly BrokenProduct[] = [
  {
    // links that stay look for what a database lost, and get most of these rows again: here they do not look
    name: 'acknowledged before the commit',
    mutations: { ...unbroken, ingest: acknowledgeFirst, looksForLoss: false },
    faults: ['replica killed', 'statements fail'],
    breaks: 'I1',
    seed: 2,
  },
  {
    name: 'the mark not moved',
    mutations: { ...unbroken, movesMarks: false },
    faults: ['connection reset'],
    breaks: 'I9',
    seed: 3,
    patienceMs: 10_000,
  },
  {
    name: 'rows that are stored already not dropped',
    mutations: { ...unbroken, dropsStored: false },
    faults: ['answers of commits are lost'],
    breaks: 'I2',
    seed: 1,
  },
  {
    name: 'a job measured as often as it is sent',
    mutations: { ...unbroken, measuresTwice: true },
    faults: ['connection reset', 'partition'],
    breaks: 'I2',
    seed: 1,
  },
  {
    name: 'the ban not checked in the transaction',
    mutations: { ...unbroken, refusesBanned: false },
    faults: ['node banned', 'bus loses messages'],
    breaks: 'I5',
    seed: 5,
  },
  {
    name: 'what a database lost is not looked for on links that stay',
    mutations: { ...unbroken, looksForLoss: false },
    faults: ['database failed over'],
    breaks: 'I1',
    seed: 4,
    isQuietWhenMended: true,
  },
  {
    name: 'no gap for the time between two processes of an agent',
    mutations: { ...unbroken, resumesSlots: false },
    faults: ['agent killed'],
    breaks: 'I3',
    seed: 3,
  },
  {
    name: 'a slot is told as soon as it is in memory',
    mutations: { ...unbroken, waitsForDisk: false },
    faults: ['agent killed', 'disk refuses', 'slow disk'],
    breaks: 'I3',
    seed: 17,
  },
  {
    name: 'a slot is stored as often as it is told',
    mutations: { ...unbroken, dropsTold: false },
    faults: ['state restored from a copy'],
    breaks: 'I3',
    seed: 1,
  },
  {
    name: 'what is watched stays as it was first',
    mutations: { ...unbroken, takesGenerations: false },
    faults: ['connection reset'],
    breaks: 'I3',
    seed: 3,
  },
  {
    name: 'no message about the end of an alert',
    mutations: { ...unbroken, tellsEnds: false },
    faults: ['connection reset'],
    breaks: 'I4',
    seed: 3,
  },
  {
    name: 'a message recorded as sent before it is sent',
    mutations: { ...unbroken, marksFirst: true },
    faults: ['replica killed', 'receiver refuses'],
    breaks: 'I4',
    seed: 36,
  },
  {
    name: 'a channel not leased by the sender that claims its message',
    mutations: { ...unbroken, leasesChannels: false },
    faults: ['connection reset'],
    breaks: 'I4',
    seed: 3,
  },
  {
    name: 'a message that a dead sender had claimed taken for one that never left',
    mutations: { ...unbroken, remembersClaims: false },
    faults: ['replica killed', 'slow database', 'database away'],
    breaks: 'I4',
    seed: 24,
  },
];

/** Announces the store's outcome before it was asked to store anything. */
function acknowledgeFirst(store: IngestStore, process: SimulatedProcess): IngestStore {
  return {
    ...store,
    storeBatches: async (batches) => {
      process.after(20, () => void store.storeBatches(batches).catch(() => undefined));
      return batches.map((batch) => {
        const { last } = batch;
        return { kind: 'stored', mark: last, previousMark: firstOf(batch) - 1, finished: [] };
      });
    },
  };
}
