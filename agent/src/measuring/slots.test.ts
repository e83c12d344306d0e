import t from 'tap';
import { type SlotRequest, Slots } from './slots.js';

/** A line of what happens to requests, and a way to make them. */
function aLog() {
  const log: string[] = [];
  const request = (name: string, parts: Partial<SlotRequest> = {}): SlotRequest => ({
    caller: 'c1',
    type: 'tcp',
    units: 1,
    maxConcurrent: Number.POSITIVE_INFINITY,
    begin: () => log.push(name),
    refuse: () => log.push(`${name} refused`),
    ...parts,
  });
  return { log, request };
}

t.test('a probe begins at once while there is room, and the next when room is given back', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 2 });
  const leave = slots.enter(request('a'));
  slots.enter(request('b'));
  slots.enter(request('c'));
  t.same(log, ['a', 'b']);
  leave();
  t.same(log, ['a', 'b', 'c']);
});

t.test('a large probe is not overtaken by small ones that would fit', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 4 });
  const leave = slots.enter(request('small'));
  slots.enter(request('large', { units: 4 }));
  slots.enter(request('late'));
  t.same(log, ['small']);
  leave();
  t.same(log, ['small', 'large']);
});

t.test('leaving twice gives back one slot', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 1 });
  const leave = slots.enter(request('a'));
  slots.enter(request('b'));
  slots.enter(request('c'));
  leave();
  leave();
  t.same(log, ['a', 'b']);
});

t.test('who leaves the queue never begins and frees nothing', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 1 });
  const leave = slots.enter(request('a'));
  const withdraw = slots.enter(request('b'));
  slots.enter(request('c'));
  withdraw();
  t.equal(slots.waiting, 1);
  t.same(log, ['a']);
  leave();
  t.same(log, ['a', 'c']);
});

t.test('when a large probe stops waiting, those behind it begin', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 4 });
  slots.enter(request('a'));
  const withdraw = slots.enter(request('large', { units: 4 }));
  slots.enter(request('b'));
  withdraw();
  t.same(log, ['a', 'b']);
});

t.test('a full queue takes no more probes of the caller that fills it', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 1, maxWaiting: 1 });
  for (const name of ['a', 'b', 'c']) slots.enter(request(name));
  t.same(log, ['a', 'c refused']);
});

t.test('in a full queue the caller with the most waiting gives way to others', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 1, maxWaiting: 3 });
  for (const name of ['a', 'b', 'c', 'd']) slots.enter(request(name));
  const leave = slots.enter(request('other', { caller: 'c2' }));
  t.same(log, ['a', 'd refused']);
  leave();
  t.equal(slots.waiting, 2);
});

t.test('a probe larger than all slots together still gets its turn', async (t) => {
  const { log, request } = aLog();
  new Slots({ capacityUnits: 2 }).enter(request('huge', { units: 4 }));
  t.same(log, ['huge']);
});

t.test('one caller with a thousand probes holds up another by one probe', async (t) => {
  const { log, request } = aLog();
  const slots = new Slots({ capacityUnits: 1 });
  const begin: SlotRequest['begin'] = (leave) => leaves.push(leave);
  const leaves: (() => void)[] = [];
  for (let i = 0; i < 1000; i += 1) slots.enter(request('flood', { begin }));
  slots.enter(request('other', { caller: 'c2' }));
  leaves.shift()?.();
  t.same(log, []);
  leaves.shift()?.();
  t.same(log, ['other']);
});
