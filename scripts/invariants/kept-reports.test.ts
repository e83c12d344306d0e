import t from 'tap';
import { keptReports } from './kept-reports.js';

const [nodeId, monitorId] = ['n_1', 'm_1'];
const reported = (firstMs: number) => ({
  type: 'told' as const,
  at: 1_000,
  subject: `${nodeId} of ${monitorId}`,
  nodeId,
  monitorId,
  firstMs,
  lastMs: firstMs,
  count: 1,
});
const storedAt = (slotMs: number) => ({
  nodeId,
  monitorId,
  firstMs: slotMs,
  lastMs: slotMs,
  count: 1,
  missed: null,
  storedAt: 1_100,
});

t.test('a report of a slot before its monitor was created is kept when that time is stored', (t) => {
  const kept = (createdMs: number) =>
    keptReports([reported(900)], [storedAt(950)], new Map([[monitorId, createdMs]])).map(({ subject }) => subject);
  t.same(kept(950), ['n_1 of m_1'], 'the slot is stored at the creation');
  t.same(kept(800), [], 'another slot is stored');
  t.end();
});
