import t from 'tap';
import { Ipv4Names } from './ipv4-names.js';

t.test('addresses are spelt as the system spells them, however many there are', async (t) => {
  const names = new Ipv4Names();
  for (const [address, name] of [
    [0, '0.0.0.0'],
    [0x7f000001, '127.0.0.1'],
    [0xffffffff, '255.255.255.255'],
    [0xc0000263, '192.0.2.99'],
  ] as const) {
    t.equal(names.nameOf(address), name);
    t.equal(names.nameOf(address), name, 'again');
  }
  for (let address = 0; address < 10_000; address += 1) names.nameOf(address);
  t.equal(names.nameOf(0x7f000001), '127.0.0.1');
});
