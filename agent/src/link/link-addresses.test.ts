import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t, { type Test } from 'tap';
import { LinkAddresses, type LookUp, orderAddresses } from './link-addresses.js';

const host = 'control.example';
const dead: LookUp = () => new Promise(() => {});

async function opened(t: Test, lookUp: LookUp, stateDir = t.testdir(), clock = new FakeClock()) {
  const fallbacks: (readonly string[])[] = [];
  const onFallback = (_host: string, addresses: readonly string[]) => void fallbacks.push(addresses);
  const addresses = await LinkAddresses.open({ stateDir, clock, lookUp, onFallback });
  t.teardown(() => addresses.settled());
  const find = async (name = host) => await addresses.find(name);
  return { addresses, clock, stateDir, fallbacks, find };
}

t.test('after two seconds without a response of the resolver, addresses that worked before are used', async (t) => {
  const stateDir = t.testdir();
  const before = await opened(t, async () => ['192.0.2.1', '2001:db8::1'], stateDir);
  t.same(await before.find(), ['192.0.2.1', '2001:db8::1']);
  before.addresses.worked(host, '2001:db8::1');
  await before.addresses.settled();
  const { find, clock, fallbacks } = await opened(t, dead, stateDir);
  const found = find();
  clock.advance(2_000);
  t.same(await found, ['2001:db8::1'], 'by the next process too');
  t.same(fallbacks, [['2001:db8::1']]);
});

t.test('a resolver that answers with an error is not waited for', async (t) => {
  const stateDir = t.testdir();
  const { addresses, find } = await opened(
    t,
    async () => {
      throw new Error('EAI_AGAIN');
    },
    stateDir,
  );
  await t.rejects(find(), /EAI_AGAIN/, 'where nothing is known its error is the reason');
  addresses.worked(host, '192.0.2.1');
  t.same(await find(), ['192.0.2.1']);
  await addresses.settled();
});

t.test('a resolver that hangs is asked once, however often the agent dials', async (t) => {
  let asked = 0;
  const { addresses, find, clock } = await opened(t, () => {
    asked += 1;
    return new Promise(() => {});
  });
  addresses.worked(host, '192.0.2.1');
  for (let i = 0; i < 5; i += 1) {
    const found = find();
    clock.advance(2_000);
    await found;
  }
  t.equal(asked, 1);
  await addresses.settled();
});

t.test('addresses of DNS come first, those that worked before in front, and former ones last', async (t) => {
  t.same(orderAddresses(['a', 'b', 'c'], ['b', 'x']), ['b', 'a', 'c', 'x']);
  t.same(orderAddresses([], ['x']), ['x']);
});

t.test('an address at which another server answered comes last', async (t) => {
  const { addresses, find } = await opened(t, async () => []);
  for (const address of ['192.0.2.1', '192.0.2.2']) addresses.worked(host, address);
  t.same(await find(), ['192.0.2.2', '192.0.2.1']);
  addresses.failed('192.0.2.2');
  t.same(await find(), ['192.0.2.1', '192.0.2.2']);
  await addresses.settled();
});

t.test('stored addresses are bounded in number and age, but the newest of a name stays', async (t) => {
  const { addresses, find, clock } = await opened(t, async () => []);
  for (let i = 1; i <= 20; i += 1) addresses.worked(host, `192.0.2.${i}`);
  t.equal((await find()).length, 8);
  clock.advance(31 * 24 * 3_600_000);
  t.equal((await find()).length, 8, 'nothing better is known');
  addresses.worked(host, '192.0.2.99');
  t.same(await find(), ['192.0.2.99']);
  for (let i = 0; i < 20; i += 1) addresses.worked(`h${i}.example`, '192.0.2.1');
  t.same(await find(), [], 'sixteen names');
  await addresses.settled();
});

t.test('literal addresses are used as they are, and a damaged file counts as missing', async (t) => {
  const stateDir = t.testdir();
  for (const text of [
    '{',
    '[]',
    'null',
    '{"control.example":[{"address":"nonsense","at":1}]}',
    '{"control.example":7}',
  ]) {
    writeFileSync(join(stateDir, 'addresses.json'), text);
    const { find } = await opened(t, async () => ['192.0.2.5'], stateDir);
    t.same(await find(), ['192.0.2.5'], text);
    t.same(await find('2001:db8::1'), ['2001:db8::1']);
  }
});
