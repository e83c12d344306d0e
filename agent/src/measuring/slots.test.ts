import t from 'tap';
import { type Leave, Slots } from './slots.js';

function enter(slots: Slots, units: number, log: string[], name: string): Leave | null {
  return slots.enter(units, () => log.push(name));
}

t.test('a probe begins at once while there is room, and the next when room is given back', async (t) => {
  const log: string[] = [];
  const slots = new Slots(2, 10);
  const first = enter(slots, 1, log, 'a');
  enter(slots, 1, log, 'b');
  enter(slots, 1, log, 'c');
  t.same(log, ['a', 'b']);
  first?.();
  t.same(log, ['a', 'b', 'c']);
});

t.test('a large probe is not overtaken by small ones that would fit', async (t) => {
  const log: string[] = [];
  const slots = new Slots(4, 10);
  const small = enter(slots, 1, log, 'small');
  enter(slots, 4, log, 'large');
  enter(slots, 1, log, 'late');
  t.same(log, ['small']);
  small?.();
  t.same(log, ['small', 'large']);
});

t.test('leaving twice gives back one slot', async (t) => {
  const log: string[] = [];
  const slots = new Slots(1, 10);
  const first = enter(slots, 1, log, 'a');
  enter(slots, 1, log, 'b');
  enter(slots, 1, log, 'c');
  first?.();
  first?.();
  t.same(log, ['a', 'b']);
});

t.test('who leaves the queue never begins and frees nothing', async (t) => {
  const log: string[] = [];
  const slots = new Slots(1, 10);
  const first = enter(slots, 1, log, 'a');
  const second = enter(slots, 1, log, 'b');
  enter(slots, 1, log, 'c');
  second?.();
  t.equal(slots.waiting, 1);
  t.same(log, ['a']);
  first?.();
  t.same(log, ['a', 'c']);
});

t.test('a full queue takes nobody', async (t) => {
  const log: string[] = [];
  const slots = new Slots(1, 1);
  enter(slots, 1, log, 'a');
  enter(slots, 1, log, 'b');
  t.equal(enter(slots, 1, log, 'c'), null);
});

t.test('a probe larger than all slots together still gets its turn', async (t) => {
  const log: string[] = [];
  enter(new Slots(2, 1), 4, log, 'huge');
  t.same(log, ['huge']);
});
