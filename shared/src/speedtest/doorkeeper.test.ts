import t from 'tap';
import type { Clock } from '../clock.js';
import { Doorkeeper } from './doorkeeper.js';

const current = { ms: 0 };

/** A clock that the test moves. */
function aClock(): Clock {
  return { now: () => current.ms, monotonicMs: () => current.ms, after: () => () => {}, afterInput: () => {} };
}

/** Makes a request that ends at once, and returns its status. */
function visit(doorkeeper: Doorkeeper, address: string): number {
  const admission = doorkeeper.enter(address);
  if (admission.isAdmitted) admission.leave();
  return admission.isAdmitted ? 200 : admission.status;
}

t.beforeEach(() => {
  current.ms = 0;
});

t.test('twelve requests a minute from one address, then none until the minute is over', async (t) => {
  const doorkeeper = new Doorkeeper(aClock());
  for (let i = 0; i < 12; i += 1) t.equal(visit(doorkeeper, '192.0.2.1'), 200);
  current.ms = 20_000;
  t.match(doorkeeper.enter('192.0.2.1'), { isAdmitted: false, status: 429, retryAfterSeconds: 40 });
  t.match(doorkeeper.enter('::ffff:192.0.2.1'), { status: 429 }, 'the same address in its other spelling');
  t.equal(visit(doorkeeper, '192.0.2.2'), 200, 'another address');
  current.ms = 60_000;
  t.equal(visit(doorkeeper, '192.0.2.1'), 200);
});

t.test('a whole /64 is one subscriber', async (t) => {
  const doorkeeper = new Doorkeeper(aClock());
  for (let i = 0; i < 12; i += 1) t.equal(visit(doorkeeper, `2001:db8::${i + 1}`), 200);
  t.equal(visit(doorkeeper, '2001:db8::ffff'), 429);
  t.equal(visit(doorkeeper, '2001:db8:0:1::1'), 200);
});

t.test('four at a time, and leaving twice makes no room', async (t) => {
  const doorkeeper = new Doorkeeper(aClock());
  const inside = [1, 2, 3, 4].map((i) => doorkeeper.enter(`192.0.2.${i}`));
  t.match(doorkeeper.enter('192.0.2.5'), { isAdmitted: false, status: 503, retryAfterSeconds: 10 });
  const [first] = inside;
  if (first?.isAdmitted) {
    first.leave();
    first.leave();
  }
  t.equal(doorkeeper.enter('192.0.2.6').isAdmitted, true);
  t.equal(doorkeeper.enter('192.0.2.7').isAdmitted, false);
});
