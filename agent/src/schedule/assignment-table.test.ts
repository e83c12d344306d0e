import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import { MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { anAssignment, everything, monitorId } from './_support/a-schedule.js';
import { AssignmentTable } from './assignment-table.js';

const change = { set: [], dropped: [], begins: false, ends: false };

t.test('assignments that a full set does not name are dropped at its end, and only then', async (t) => {
  const table = new AssignmentTable();
  table.take(everything(anAssignment(0), anAssignment(1)));
  t.same(table.take({ ...change, set: [anAssignment(1)], begins: true }), { added: [], dropped: [] });
  t.same(table.take({ ...change, set: [anAssignment(2)] }), { added: [anAssignment(2)], dropped: [] });
  t.same(table.take({ ...change, ends: true }), { added: [], dropped: [monitorId(0)] });
  t.same(Buffer.from(table.digest()), assignmentsDigest([anAssignment(2), anAssignment(1)]));
});

t.test('a link that ends in the middle of a full set drops nothing, and the next one starts a new set', async (t) => {
  const table = new AssignmentTable();
  table.take(everything(anAssignment(0)));
  table.take({ ...change, set: [anAssignment(1)], begins: true });
  table.interrupted();
  t.equal(table.size, 2);
  t.throws(() => table.take({ ...change, ends: true }), MalformedFrameError);
  t.same(table.take(everything(anAssignment(1))).dropped, [monitorId(0)]);
});

t.test('the same generation again changes nothing, another one does', async (t) => {
  const table = new AssignmentTable();
  table.take(everything(anAssignment(0)));
  t.same(table.take({ ...change, set: [anAssignment(0, { interval_s: 5 })] }).added, []);
  t.equal(table.take({ ...change, set: [anAssignment(0, {}, 2)] }).added.length, 1);
  t.same(table.take({ ...change, dropped: [monitorId(0), monitorId(7)] }).dropped, [monitorId(0)]);
});

t.test('more assignments than a node takes are refused before any of them counts', async (t) => {
  const table = new AssignmentTable();
  const many = Array.from({ length: 20_001 }, (_, number) => anAssignment(number));
  t.throws(() => table.take(everything(...many)), MalformedFrameError);
  const large = Array.from({ length: 500 }, (_, number) =>
    anAssignment(number, { config: { text: 'x'.repeat(60_000) } }),
  );
  t.throws(() => table.take(everything(...large)), MalformedFrameError);
  t.equal(table.size, 0);
  t.equal(table.digest().length, 0);
});
