import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import fc from 'fast-check';
import t from 'tap';
import { Unproven } from './unproven.js';

function counting(most = 1_000, mostPerAddress = 2) {
  const clock = new FakeClock();
  return { clock, unproven: new Unproven({ clock, most, mostPerAddress }) };
}

t.test(
  'an address that often disconnected without a proof is refused for ten seconds, one with a proof is not',
  async (t) => {
    const { clock, unproven } = counting();
    const address = '198.51.100.1';
    for (let index = 0; index < 10; index += 1) unproven.enter(address)?.(true);
    for (let index = 0; index < 2; index += 1) unproven.enter(address)?.(false);
    t.equal(unproven.enter(address), null);
    t.ok(unproven.enter('198.51.100.2'), 'another address');
    clock.advance(9_999);
    t.equal(unproven.enter(address), null);
    clock.advance(1);
    t.ok(unproven.enter(address));
  },
);

t.test('this machine may go without a proof as often as it likes', async (t) => {
  const { unproven } = counting();
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    for (let index = 0; index < 10; index += 1) unproven.enter(address)?.(false);
    t.ok(unproven.enter(address), address);
  }
});

t.test('each open connection counts once, and closed ones do not count', async () => {
  const addresses = fc.constantFrom('198.51.100.1', '2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::1', '127.0.0.1');
  const comings = fc.array(fc.record({ address: addresses, goes: fc.nat(3), hasProved: fc.boolean() }), {
    maxLength: 100,
  });
  fc.assert(
    fc.property(comings, (all) => {
      const { clock, unproven } = counting(5, 2);
      const inside: ((hasProved: boolean) => void)[] = [];
      for (const { address, goes, hasProved } of all) {
        const leave = unproven.enter(address);
        if (leave !== null) inside.push(leave);
        if (inside.length > 5) return false;
        // who says it twice is counted once
        for (const gone of inside.splice(0, goes)) for (let twice = 0; twice < 2; twice += 1) gone(hasProved);
      }
      for (const gone of inside.splice(0)) gone(false);
      clock.advance(10_000);
      return Array.from({ length: 5 }, (_, index) => unproven.enter(`203.0.113.${index}`)).every(
        (leave) => leave !== null,
      );
    }),
  );
});
