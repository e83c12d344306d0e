import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { PolicySource } from './policy-source.js';

function isRefused(source: PolicySource, address: string): boolean {
  try {
    source.current().checkAddress(address);
    return false;
  } catch {
    return true;
  }
}

t.test(
  'this machine, the control plane and its deny list are refused; ranges that the operator opened are not',
  async (t) => {
    const source = new PolicySource({ clock: new FakeClock(), allow: ['10.1.0.0/16'], readOwn: () => ['1.1.1.9'] });
    source.setLists({ own: ['8.8.8.8'], denied: ['9.9.9.0/24'] });
    for (const address of ['1.1.1.9', '8.8.8.8', '9.9.9.9', '10.2.0.1'])
      t.equal(isRefused(source, address), true, address);
    for (const address of ['1.1.1.1', '10.1.0.1']) t.equal(isRefused(source, address), false, address);
  },
);

t.test('an address this machine gets later is refused within a minute', async (t) => {
  const clock = new FakeClock();
  const own = ['1.1.1.9'];
  const source = new PolicySource({ clock, allow: [], readOwn: () => own });
  t.equal(isRefused(source, '8.8.4.4'), false);
  own.push('8.8.4.4');
  clock.advance(60_001);
  t.equal(isRefused(source, '8.8.4.4'), true);
});

t.test('lists with a bad entry are refused by name, and the previous ones stay', async (t) => {
  const source = new PolicySource({ clock: new FakeClock(), allow: [], readOwn: () => [] });
  source.setLists({ own: [], denied: ['9.9.9.0/24'] });
  t.throws(() => source.setLists({ own: ['nowhere'], denied: [] }), { name: 'RangeError', message: /nowhere/ });
  t.equal(isRefused(source, '9.9.9.9'), true);
});
