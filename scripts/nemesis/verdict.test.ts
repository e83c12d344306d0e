import { join } from 'node:path';
import t from 'tap';
import { phaseOfWatch } from '../invariants/due-slots.js';
import type { HistoryEvents, HistoryRecord, HistoryType } from '../invariants/history.js';
import { Recorder } from './recorder.js';
import { findingsOf } from './verdict.js';
import { recordWatches } from './watches.js';

function saw<T extends HistoryType>(type: T, event: HistoryEvents[T]): HistoryRecord {
  // the map of types to records is what the arguments were checked against
  return { at: 0, type, ...event } as unknown as HistoryRecord;
}

const findingOf = (id: string, ...records: HistoryRecord[]) =>
  findingsOf({ records, secrets: [] }).find((finding) => finding.id === id);

t.test('an invariant of which nothing was seen is not checked, and says why', async (t) => {
  t.match(findingOf('I6'), { breaches: [], notChecked: 'nothing of this kind has happened' });
  t.match(findingOf('I11'), { breaches: [], notChecked: String });
});

t.test('an invariant is checked as soon as there is anything to judge it by', async (t) => {
  const used = (publicKey: string) => saw('token-used', { token: 'one', publicKey });
  t.match(findingOf('I6', used('a')), { breaches: [], notChecked: null });
  t.match(findingOf('I6', used('a'), used('b')), { breaches: ['token one enrolled 2 keys'], notChecked: null });
  t.match(findingOf('I11', saw('tempted', { to: 'a refused address' })), { breaches: [], notChecked: null });
});

const WATCH = { nodeId: 'n1', monitorId: 'm1' };
const EVERY_10_S = { generation: 1, intervalMs: 10_000 };
const slot = (number: number) => {
  const at = phaseOfWatch({ ...WATCH, ...EVERY_10_S }) + number * EVERY_10_S.intervalMs;
  return saw('slots', { ...WATCH, firstMs: at, lastMs: at, count: 1, missed: null });
};
const begun = saw('watch-begun', { ...WATCH, ...EVERY_10_S, afterMs: 0 });
const end = { ...saw('calm', {}), at: 60_000 };

t.test('of a monitor each due slot has to be there once', async (t) => {
  const all = [0, 1, 2, 3, 4].map(slot);
  t.match(findingOf('I3', begun, ...all, end), { breaches: [], notChecked: null });
  t.match(findingOf('I3', begun, ...all.toSpliced(2, 1), end), { breaches: [/due and never reported/] });
  t.match(findingOf('I3', begun, ...all, slot(2), end), { breaches: [/is stored 2 times/] });
  t.match(findingOf('I3'), { breaches: [], notChecked: String });
});

t.test('a node is responsible for its assignments once its disk has had the time to store them', async (t) => {
  const directory = t.testdir();
  const [recorder, read] = ['history', 'end'].map((name) => new Recorder(join(directory, name))) as [
    Recorder,
    Recorder,
  ];
  const heard = { nodeId: 'n1', set: [{ monitorId: 'm1', ...EVERY_10_S }], dropped: [], isEverything: true };
  recorder.record('heard', heard, 1_000);
  recorder.record('heard', { ...heard, set: [], dropped: ['m1'], isEverything: false }, 50_000);
  recorder.record('heard', heard, 60_000);
  recordWatches(
    recorder,
    read,
    [2_000, 6_000, 16_000].map((at) => ({ ...WATCH, firstMs: at, lastMs: at, count: 1 })),
  );
  t.match(read.records, [
    { type: 'watch-begun', at: 1_000, afterMs: 6_000, generation: 1 },
    { type: 'watch-ended', at: 50_000 },
  ]);
  t.equal(read.records.length, 2, 'what it has told nothing of since it does not answer for');
});
