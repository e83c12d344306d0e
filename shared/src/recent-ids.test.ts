import t from 'tap';
import { RecentIds } from './recent-ids.js';

t.test('the newest ids are known, and of those before at most as many', async (t) => {
  const recent = new RecentIds(100);
  const ids = Array.from({ length: 1_000 }, (_, index) => `id_${index}`);
  for (const [index, id] of ids.entries()) {
    recent.add(id);
    const known = ids.slice(0, index + 1).map((one) => recent.has(one));
    const count = known.filter(Boolean).length;
    const least = Math.min(index + 1, 100);
    if (count < least || count > 200) t.fail(`${count} of ${index + 1} ids`);
    if (known.lastIndexOf(false) >= index + 1 - count) t.fail(`not the newest of ${index + 1} ids`);
  }
});

t.test('an id that is added again is as new as any', async (t) => {
  const recent = new RecentIds(3);
  for (const id of ['a', 'b', 'c', 'd', 'a', 'e', 'f']) recent.add(id);
  t.ok(recent.has('a'));
  t.notOk(recent.has('b'));
});
