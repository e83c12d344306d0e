import fc from 'fast-check';
import t from 'tap';
import { type Candidate, chooseNodes } from './choose-nodes.js';

const aNode = (index: number, more: Partial<Candidate> = {}): Candidate => ({
  id: `n_${index}`,
  group: `as${index}`,
  room: 1,
  ...more,
});
const nodes = (count: number, more: (index: number) => Partial<Candidate> = () => ({})) =>
  Array.from({ length: count }, (_, index) => aNode(index, more(index)));
const monitors = Array.from({ length: 3_000 }, (_, index) => `m_${index}`);

t.test('the wanted number of nodes is chosen, or all there are, each once, independent of their order', async (t) => {
  const candidates = fc
    .uniqueArray(fc.nat(30), { maxLength: 12 })
    .chain((indexes) =>
      fc
        .array(fc.nat(3), { minLength: indexes.length, maxLength: indexes.length })
        .map((groups) => indexes.map((index, at) => aNode(index, { group: `as${groups[at]}`, room: 1 + (index % 5) }))),
    );
  const current = fc.uniqueArray(fc.nat(30), { maxLength: 5 }).map((all) => all.map((index) => `n_${index}`));
  fc.assert(
    fc.property(candidates, current, fc.integer({ min: 1, max: 6 }), (all, now, count) => {
      const input = { monitorId: 'm_1', count, candidates: all, current: now };
      const placed = chooseNodes(input);
      t.equal(placed.length, Math.min(count, all.length));
      t.equal(new Set(placed).size, placed.length);
      t.ok(placed.every((id) => all.some((node) => node.id === id)));
      t.same(chooseNodes({ ...input, candidates: [...all].reverse(), current: [...now].reverse() }), placed);
      t.same(chooseNodes({ ...input, current: placed }).sort(), [...placed].sort(), 'and it stays so');
    }),
  );
});

t.test('nodes of different networks are preferred, and the count does not suffer by that', async (t) => {
  const candidates = [...nodes(6, () => ({ group: 'as1' })), aNode(7), aNode(8)];
  for (const monitorId of monitors.slice(0, 100)) {
    const placed = chooseNodes({ monitorId, count: 3, candidates, current: [] });
    t.ok(placed.includes('n_7') && placed.includes('n_8'));
    t.equal(chooseNodes({ monitorId, count: 5, candidates, current: [] }).length, 5);
  }
});

t.test('a node that leaves moves only its own monitors, and a new node moves none', async (t) => {
  const before = nodes(20);
  const after = before.filter(({ id }) => id !== 'n_3');
  let moved = 0;
  for (const monitorId of monitors) {
    const placed = chooseNodes({ monitorId, count: 3, candidates: before, current: [] });
    const then = chooseNodes({ monitorId, count: 3, candidates: after, current: placed });
    const kept = placed.filter((id) => id !== 'n_3');
    t.same(then.slice(0, kept.length), kept);
    moved += then.length - kept.length;
    t.same(chooseNodes({ monitorId, count: 3, candidates: nodes(21), current: placed }).sort(), [...placed].sort());
  }
  t.ok(moved > 350 && moved < 550, `${moved} of 9 000 places, about a twentieth`);
});

t.test('monitors are spread by how much room nodes have', async (t) => {
  const candidates = nodes(10, (index) => ({ room: index < 5 ? 1 : 2 }));
  const places = new Map<string, number>();
  for (const monitorId of monitors) {
    for (const id of chooseNodes({ monitorId, count: 1, candidates, current: [] }))
      places.set(id, (places.get(id) ?? 0) + 1);
  }
  for (const { id, room } of candidates) {
    const share = (places.get(id) ?? 0) / ((monitors.length * room) / 15);
    t.ok(share > 0.75 && share < 1.25, `${id} has ${share.toFixed(2)} of its share`);
  }
});

t.test('fewer nodes wanted than there were: those of different networks stay', async (t) => {
  const candidates = [aNode(1, { group: 'as1' }), aNode(2, { group: 'as1' }), aNode(3)];
  for (const monitorId of monitors.slice(0, 50)) {
    const placed = chooseNodes({ monitorId, count: 2, candidates, current: ['n_1', 'n_2', 'n_3'] });
    t.ok(placed.includes('n_3'));
  }
});
