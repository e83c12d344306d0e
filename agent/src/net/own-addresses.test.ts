import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import t from 'tap';
import { parseIPv4Gateways, parseIPv6Gateways, readOwnAddresses } from './own-addresses.js';

t.test('own addresses are those of the machine, in a form that the policy accepts', async (t) => {
  const own = readOwnAddresses();
  t.ok(own.includes('127.0.0.1'));
  t.equal(new Set(own).size, own.length, 'each once');
  t.ok(new TargetPolicy({ allow: [], own, denied: [] }));
});

t.test('gateways are read from the tables of the kernel (proc(5))', async (t) => {
  const v4 = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  ].join('\n');
  const zeros = '0'.repeat(32);
  const v6 = [
    `fd000000000000000000000000000000 40 ${zeros} 00 ${zeros} 00000100 00000001 00000000 00000001     eth0`,
    `${zeros} 00 ${zeros} 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0`,
  ].join('\n');
  t.strictSame(parseIPv4Gateways(v4), ['192.0.2.1']);
  t.strictSame(parseIPv6Gateways(v6), ['fd00::1']);
  t.strictSame([...parseIPv4Gateways(''), ...parseIPv6Gateways('')], [], 'no table');
});
