import t from 'tap';
import { Waiters } from './waiters.js';

t.test('a wake-up reaches all who wait for that task and no one else', async (t) => {
  const waiters = new Waiters();
  const woken: string[] = [];
  waiters.subscribe('pt_a', () => woken.push('a1'));
  waiters.subscribe('pt_a', () => woken.push('a2'));
  waiters.subscribe('pt_b', () => woken.push('b'));
  waiters.wake(['pt_a', 'pt_none']);
  t.same(woken, ['a1', 'a2']);
  waiters.wake(['pt_b', 'pt_a']);
  t.same(woken, ['a1', 'a2', 'b', 'a1', 'a2']);
});

t.test('who has ended its subscription is not woken, and nothing is kept of it', async (t) => {
  const waiters = new Waiters();
  const ends = Array.from({ length: 100 }, () => waiters.subscribe('pt_a', () => t.fail('woken after the end')));
  t.equal(waiters.size, 1);
  for (const end of ends) end();
  for (const end of ends) end();
  waiters.wake(['pt_a']);
  t.equal(waiters.size, 0);
});
