import t from 'tap';
import { decodeRecords, encodeRecord, type HistoryEvents, type HistoryRecord, type HistoryType } from './history.js';
import { findBreaches, invariants } from './index.js';

const NODE = { nodeId: 'n1' };
const LANE = { ...NODE, epoch: 'e1', lane: 'task' };

/** A record of this type at `at`, 0 when nothing is said. */
function saw<T extends HistoryType>(type: T, event: HistoryEvents[T], at = 0): HistoryRecord {
  // the map of types to records is what the arguments were checked against
  return { at, type, ...event } as unknown as HistoryRecord;
}

/** A run in which one result went the whole way. */
const inOrder: readonly HistoryRecord[] = [
  saw('online', NODE, 1),
  saw('accepted', { ...NODE, subject: 's1' }, 2),
  saw('started', { ...NODE, subject: 's1', bootId: 'b1' }, 3),
  saw('produced', { ...NODE, subject: 's1', durationMs: 5 }, 8),
  saw('durable', { ...NODE, subject: 's1' }, 9),
  saw('sent', { ...LANE, first: 1, subjects: ['s1'] }, 9),
  saw('acknowledged', { ...LANE, mark: 1, rejected: [] }, 11),
  saw('clock', { ...NODE, errorMs: 59, uncertaintyMs: 10 }, 12),
  saw('healed', { patienceMs: 100 }, 20),
  saw('offline', NODE, 21),
  saw('online', NODE, 120),
  saw('task', { ...NODE, subject: 's1', state: 'done', storedAt: 10 }, 200),
  saw('kept', { ...NODE, subject: 's1', as: 'result', storedAt: 10 }, 200),
  saw('backlog', { ...NODE, rows: 0 }, 200),
];

const without = (type: HistoryType) => inOrder.filter((record) => record.type !== type);
const kept = (as: 'result' | 'superseded', storedAt = 10) => saw('kept', { ...NODE, subject: 's1', as, storedAt });
const served = (ms: number, besideBadPeer: boolean) =>
  Array.from({ length: 100 }, (_, i) => saw('served', { ms: i < 98 ? 1 : ms, besideBadPeer }));
const isRolledBack = saw('database-rolled-back', { since: 1 }, 5);

t.test('a run in order has no breach', async (t) => {
  t.same(findBreaches({ records: inOrder, secrets: ['hidden'] }), []);
});

const breaches: readonly { id: string; name: string; records: readonly HistoryRecord[] }[] = [
  {
    id: 'I1',
    name: 'acknowledged and not stored',
    records: without('kept').filter(({ type }) => type !== 'durable'),
  },
  {
    id: 'I1',
    name: 'accepted and not known',
    records: [...inOrder, saw('accepted', { ...NODE, subject: 's2' })],
  },
  {
    id: 'I1',
    name: 'a result that changed after it was read',
    records: [
      ...without('task'),
      saw('read', { subject: 's1', outcome: 'success' }),
      saw('task', { ...NODE, subject: 's1', state: 'lost', storedAt: 10, outcome: 'node_lost' }),
    ],
  },
  { id: 'I2', name: 'stored twice', records: [...inOrder, kept('result')] },
  {
    id: 'I2',
    name: 'stored for a node that never measured it',
    records: [...inOrder, saw('kept', { nodeId: 'n2', subject: 's1', as: 'superseded', storedAt: 11 })],
  },
  {
    id: 'I2',
    name: 'stored, and no result',
    records: [...inOrder, saw('nonsense', { ...NODE, subject: 's1' })],
  },
  {
    id: 'I2',
    name: 'measured by two processes',
    records: [...inOrder, saw('started', { ...NODE, subject: 's1', bootId: 'b2' })],
  },
  { id: 'I5', name: 'stored after a ban', records: [...inOrder, saw('banned', NODE, 9)] },
  {
    id: 'I6',
    name: 'two keys by one token',
    records: [...inOrder, ...['k1', 'k2'].map((publicKey) => saw('token-claimed', { token: 't1', publicKey }))],
  },
  {
    id: 'I7',
    name: 'over a bound',
    records: [...inOrder, saw('gauge', { name: 'rss', of: 'n1', value: 2, limit: 1 })],
  },
  {
    id: 'I7',
    name: 'vanished between the disk and the wire',
    records: [...inOrder, saw('durable', { ...NODE, subject: 's2' })],
  },
  {
    id: 'I8',
    name: 'a clock too wrong',
    records: [...inOrder, saw('clock', { ...NODE, errorMs: -61, uncertaintyMs: 10 })],
  },
  {
    id: 'I8',
    name: 'less than no time',
    records: [...inOrder, saw('produced', { ...NODE, subject: 's1', durationMs: -1 })],
  },
  { id: 'I9', name: 'offline at the end', records: [...inOrder, saw('offline', NODE, 130)] },
  { id: 'I9', name: 'back too late', records: [...inOrder, saw('offline', NODE, 130), saw('online', NODE, 131)] },
  {
    id: 'I9',
    name: 'a link cut in calm',
    records: [...inOrder, saw('calm', {}, 121), saw('offline', NODE, 122), saw('online', NODE, 120)],
  },
  { id: 'I9', name: 'rows left', records: [...inOrder, saw('backlog', { ...NODE, rows: 1 })] },
  {
    id: 'I9',
    name: 'a task that waits',
    records: [...inOrder, saw('task', { ...NODE, subject: 's2', state: 'pending', storedAt: null })],
  },
  { id: 'I9', name: 'a program that ended', records: [...inOrder, saw('crashed', { of: 'n1', how: 'SIGSEGV' })] },
  { id: 'I10', name: 'slow beside a bad peer', records: [...inOrder, ...served(5, false), ...served(10, true)] },
  {
    id: 'I11',
    name: 'a packet to a refused range',
    records: [...inOrder, saw('packet', { ...NODE, to: '10.0.0.1', isRefused: true })],
  },
  {
    id: 'I12',
    name: 'a secret in a log',
    records: [...inOrder, saw('text', { where: 'log', text: 'is hidden here' })],
  },
];

t.test('each checker finds its breach, and only it', async (t) => {
  for (const { id, name, records } of breaches) {
    const found = findBreaches({ records, secrets: ['hidden'] });
    t.same([...new Set(found.map((breach) => breach.id))], [id], name);
  }
  for (const { says, check } of invariants) {
    const isSeen = breaches.some(({ records }) => check({ records, secrets: ['hidden'] }).length > 0);
    t.ok(isSeen, `a breach of "${says}" has been seen`);
  }
});

const excused: readonly { name: string; records: readonly HistoryRecord[] }[] = [
  { name: 'a second result kept beside the first', records: [...inOrder, kept('superseded')] },
  {
    name: 'a row refused by its number',
    records: [...without('kept'), saw('acknowledged', { ...LANE, mark: 1, rejected: [1] })],
  },
  {
    name: 'a row declared as dropped',
    records: [...without('kept'), saw('gap', { ...LANE, first: 1, last: 3, reason: 'expired' })],
  },
  {
    name: 'a result whose task a rolled back database forgot',
    records: [...inOrder.filter(({ type }) => type !== 'kept' && type !== 'task'), isRolledBack],
  },
  {
    name: 'a real result after it was read that the node is lost',
    records: [
      ...without('task'),
      saw('read', { subject: 's1', outcome: 'node_lost' }),
      saw('task', { ...NODE, subject: 's1', state: 'done', storedAt: 10, outcome: 'success' }),
    ],
  },
  { name: 'stored after a ban was lifted', records: [...inOrder, saw('banned', NODE, 3), saw('unbanned', NODE, 6)] },
  {
    name: 'one key that claims its token again',
    records: [...inOrder, ...['k1', 'k1'].map((publicKey) => saw('token-claimed', { token: 't1', publicKey }))],
  },
  { name: 'a node that is gone for good', records: [...inOrder, saw('offline', NODE, 130), saw('retired', NODE, 130)] },
  {
    name: 'a spool that was lost as a whole',
    records: [...inOrder, saw('durable', { ...NODE, subject: 's2' }), saw('spool-lost', NODE, 10)],
  },
  {
    name: 'a row lost by the database while its acknowledgement was on its way, and by the spool before it came again',
    records: [
      ...without('kept'),
      saw('database-rolled-back', { since: 5 }, 10),
      saw('spool-lost', { ...NODE, isNoticed: true }, 15),
    ],
  },
  {
    name: 'a clock that claims nothing',
    records: [...inOrder, saw('clock', { ...NODE, errorMs: 9e9, uncertaintyMs: -1 })],
  },
];

t.test('what the design excuses is no breach', async (t) => {
  for (const { name, records } of excused) t.same(findBreaches({ records, secrets: [] }), [], name);
});

/** s0 was sent as number 1, which later is s1's; `between` happened first. */
const renumbered = (...between: readonly HistoryRecord[]) => [
  saw('sent', { ...LANE, first: 1, subjects: ['s0'] }),
  ...between,
  ...inOrder,
];

t.test(
  'a number of a row that was lost before it was stored is acknowledged for the row that has it next',
  async (t) => {
    const findIds = (records: readonly HistoryRecord[]) => findBreaches({ records, secrets: [] }).map(({ id }) => id);
    const durable = saw('durable', { ...NODE, subject: 's0' });
    const restored = saw('spool-lost', NODE);
    t.same(findIds(renumbered(saw('offline', NODE))), [], 'the agent died before its disk had the row');
    t.same(findIds(renumbered(durable, restored)), [], 'the spool was restored from a copy');
    t.same(findIds(renumbered()), ['I1'], 'nothing happened');
    t.same(findIds(renumbered(durable, saw('offline', NODE))), ['I1', 'I7'], 'its disk had the row');
    t.same(findIds(renumbered(saw('spool-lost', { ...NODE, isNoticed: true }))), ['I1'], 'the agent noticed it');
    const again = saw('sent', { ...LANE, first: 1, subjects: ['s0'] });
    const acknowledged = inOrder.findIndex(({ type }) => type === 'acknowledged');
    t.same(findIds(renumbered(restored).toSpliced(acknowledged + 2, 0, again)), ['I1'], 'sent again as that number');
  },
);

t.test('a rolled back database excuses nothing that was stored before', async (t) => {
  const records = [...without('kept'), saw('database-rolled-back', { since: 3 }, 5)];
  t.same(
    findBreaches({ records, secrets: [] })
      .map(({ id }) => id)
      .sort(),
    ['I1', 'I7'],
  );
});

t.test('a history goes through lines of text, and a cut last line is left out', async (t) => {
  const lines = inOrder.map((record) => `${encodeRecord(record)}\n`).join('');
  t.same(decodeRecords(`${lines}{"at":1,"ty`), inOrder);
});
