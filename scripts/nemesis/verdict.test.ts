import t from 'tap';
import type { HistoryEvents, HistoryRecord, HistoryType } from '../invariants/history.js';
import { findingsOf } from './verdict.js';

function saw<T extends HistoryType>(type: T, event: HistoryEvents[T]): HistoryRecord {
  // the map of types to records is what the arguments were checked against
  return { at: 0, type, ...event } as unknown as HistoryRecord;
}

const findingOf = (id: string, ...records: HistoryRecord[]) =>
  findingsOf({ records, secrets: [] }).find((finding) => finding.id === id);

t.test('an invariant of which nothing was seen is not checked, and says why', async (t) => {
  t.match(findingOf('I6'), { breaches: [], notChecked: 'nothing of the kind has happened' });
  t.match(findingOf('I10'), { breaches: [], notChecked: /beside other faults/ });
  t.match(findingOf('I11'), { breaches: [], notChecked: String });
});

t.test('an invariant is checked as soon as there is anything to judge it by', async (t) => {
  const claimed = (publicKey: string) => saw('token-claimed', { token: 'one', publicKey });
  t.match(findingOf('I6', claimed('a')), { breaches: [], notChecked: null });
  t.match(findingOf('I6', claimed('a'), claimed('b')), { breaches: ['token one let in 2 keys'], notChecked: null });
  t.match(findingOf('I11', saw('tempted', { to: 'a refused address' })), { breaches: [], notChecked: null });
});
