import { phaseOf, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import t from 'tap';
import { dueSlots, phaseOfWatch } from './due-slots.js';
import type { HistoryEvents, HistoryRecord, HistoryType } from './history.js';
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
const WATCH = { ...NODE, monitorId: 'm1' };
const INTERVAL_MS = 10_000;
/** Times at which the node has to check the monitor: the sixth slot and those after it. */
const slotMs = (slot: number) => phaseOfWatch({ ...WATCH, intervalMs: INTERVAL_MS }) + (5 + slot) * INTERVAL_MS;
const slots = (first: number, last = first, missed: string | null = null) =>
  saw('slots', { ...WATCH, firstMs: slotMs(first), lastMs: slotMs(last), count: last - first + 1, missed });
const reported = (slot: number, at = 0) =>
  saw('told', { ...WATCH, subject: `s${slot}`, firstMs: slotMs(slot), lastMs: slotMs(slot), count: 1 }, at);
const begun = saw('watch-begun', { ...WATCH, generation: 1, intervalMs: INTERVAL_MS, afterMs: slotMs(0) });
const assigned = (generation: number) => saw('assigned', { ...WATCH, generation });
/** Long after the sixth slot. */
const end = saw('calm', {}, slotMs(6) + 16_000);
/** A run in which a monitor was watched: slots 1 to 6, two of them missed. */
const watched = [...inOrder, begun, slots(1), slots(2, 3, 'stopped'), slots(4), slots(5), slots(6), assigned(1), end];
const withoutSlots = (...gone: readonly HistoryRecord[]) =>
  watched.filter((record) => !gone.some((g) => same(g, record)));
const same = (a: HistoryRecord, b: HistoryRecord) => JSON.stringify(a) === JSON.stringify(b);
const inOrderAt = (...records: readonly HistoryRecord[]) => [...records, ...watched];

const ALERT = { channel: 'c1', alertId: 'a1' };
const episode = (endedAt: number | null, alertId = ALERT.alertId) =>
  saw('episode', { ...ALERT, alertId, startedAt: 100, endedAt }, 30_000);
const took = (about: 'begin' | 'end', at: number, { key = about as string, isAccepted = true } = {}) =>
  saw('message-taken', { ...ALERT, key, about, isAccepted }, at);
const [begin, over] = [took('begin', 110), took('end', 210)];
const interrupted = saw('sender-interrupted', {}, 105);
/** Runs with alerts that are in order. */
const alerted: readonly (readonly HistoryRecord[])[] = [
  [begin, over, episode(200)],
  [begin, episode(null)],
  [took('begin', 105, { isAccepted: false }), begin, over, episode(200)],
  // a short one, and a receiver that was away
  [took('begin', 110, { isAccepted: false }), episode(200)],
  // its response was lost
  [took('begin', 110, { isAccepted: false }), over, episode(200)],
  [begin, interrupted, took('begin', 150), over, episode(200)],
  [interrupted, episode(20_000)],
  [
    interrupted,
    episode(20_000),
    saw('episode', { ...ALERT, alertId: 'a2', startedAt: 20_000, endedAt: 29_000 }),
    saw('message-taken', { ...ALERT, alertId: 'a2', key: 'k2', about: 'begin', isAccepted: false }, 21_000),
  ],
  [episode(200)],
  [begin, took('begin', 120, { key: 'again' }), saw('database-rolled-back', { since: 115 }, 125), over, episode(200)],
];

const isRolledBack = saw('database-rolled-back', { since: 1 }, 5);

t.test('a run in order has no breach', async (t) => {
  t.same(findBreaches({ records: inOrder, secrets: ['hidden'] }), []);
  t.same(findBreaches({ records: watched, secrets: [] }), []);
  for (const records of alerted) t.same(findBreaches({ records, secrets: [] }), []);
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
  { id: 'I3', name: 'a slot that nobody told', records: withoutSlots(slots(4)) },
  { id: 'I3', name: 'a slot that was told and is not stored', records: [reported(4), ...withoutSlots(slots(4))] },
  { id: 'I3', name: 'slots missed that nobody gave a reason for', records: withoutSlots(slots(2, 3, 'stopped')) },
  { id: 'I3', name: 'a slot checked twice', records: inOrderAt(slots(4)) },
  { id: 'I3', name: 'a slot checked and missed', records: inOrderAt(slots(4, 5, 'stopped')) },
  { id: 'I3', name: 'watched under another generation than it shall be', records: inOrderAt(assigned(2)) },
  {
    id: 'I3',
    name: 'assigned and not watched',
    records: inOrderAt(saw('assigned', { ...NODE, monitorId: 'm2', generation: 1 })),
  },
  {
    id: 'I3',
    name: 'an event of a target that was there all the time',
    records: inOrderAt(saw('event', { monitorId: 'm1', startedAt: 5, endedAt: null, what: 'down: refused' })),
  },
  { id: 'I4', name: 'an end that was not told', records: [begin, episode(200)] },
  { id: 'I4', name: 'a begin that was never tried', records: [episode(20_000)] },
  {
    id: 'I4',
    name: 'a run in which nobody was told of several',
    records: [interrupted, ...['a1', 'a2', 'a3'].map((alertId) => episode(20_000, alertId))],
  },
  { id: 'I4', name: 'a begin that was told to nobody and goes on', records: [interrupted, episode(null)] },
  {
    id: 'I4',
    name: 'two messages about a begin',
    records: [begin, took('begin', 120, { key: 'k2' }), over, episode(200)],
  },
  {
    id: 'I4',
    name: 'two messages about an end',
    records: [begin, over, took('end', 220, { key: 'k2' }), episode(200)],
  },
  {
    id: 'I4',
    name: 'a message again without an interruption',
    records: [begin, took('begin', 120), over, episode(200)],
  },
  { id: 'I4', name: 'an end that was told first', records: [took('end', 105), begin, episode(200)] },
  { id: 'I4', name: 'an end of what goes on', records: [begin, over, episode(null)] },
  { id: 'I4', name: 'a message about nothing', records: [begin, over] },
  { id: 'I5', name: 'stored after a ban', records: [...inOrder, saw('banned', NODE, 9)] },
  {
    id: 'I6',
    name: 'two keys by one token',
    records: [...inOrder, ...['k1', 'k2'].map((publicKey) => saw('token-used', { token: 't1', publicKey }))],
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
    name: 'one key that uses its token again',
    records: [...inOrder, ...['k1', 'k1'].map((publicKey) => saw('token-used', { token: 't1', publicKey }))],
  },
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
    name: 'a slot whose row was declared as dropped',
    records: [
      reported(4),
      saw('gap', { ...LANE, lane: 'check', first: 7, last: 7, reason: 'spool_full' }),
      ...withoutSlots(slots(4)),
    ],
  },
  {
    name: 'a slot whose row was in a spool that was restored from a copy',
    records: [reported(4), saw('spool-lost', NODE, 30), ...withoutSlots(slots(4))],
  },
  {
    name: 'slots after the node was told to watch something else, and the last ones before',
    records: [begun, slots(1), saw('watch-ended', WATCH, slotMs(2) + 14_000), end, ...inOrder],
  },
  {
    name: 'a row lost by the database, and by a process whose disk had not taken it',
    records: [
      ...without('kept').filter(({ type }) => type !== 'durable'),
      saw('database-rolled-back', { since: 5 }, 10),
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
  'the number of a row that was lost before it was stored is acknowledged for the next row with that number',
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

t.test('due slots are those of the product', async (t) => {
  for (let number = 0; number < 200; number += 1) {
    const watch = { nodeId: `n_${number % 7}`, monitorId: `m_${number}`, intervalMs: (1 + (number % 5)) * 10_000 };
    const grid = { ...watch, phaseMs: phaseOf(watch.monitorId, watch.nodeId, watch.intervalMs) };
    const now = Date.UTC(2026, 0, 1) + number * 1_234;
    const first = slotStart(slotAt(now, grid) + 1, grid);
    t.same(dueSlots(watch, now, now + 2 * watch.intervalMs).slice(0, 2), [first, first + watch.intervalMs]);
  }
});
