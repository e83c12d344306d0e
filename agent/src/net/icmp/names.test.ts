import t from 'tap';
import { type AnswerName, icmpErrorName, unreachableCode } from './names.js';

t.test('errors are named by type and code', async (t) => {
  const cases = [
    [4, 3, 0, 'net_unreachable'],
    [4, 3, 1, 'host_unreachable'],
    [4, 3, 2, 'protocol_unreachable'],
    [4, 3, 3, 'port_unreachable'],
    [4, 3, 4, 'fragmentation_needed'],
    [4, 3, 5, 'source_route_failed'],
    [4, 3, 9, 'net_prohibited'],
    [4, 3, 10, 'host_prohibited'],
    [4, 3, 13, 'admin_prohibited'],
    [4, 3, 16, 'destination_unreachable'],
    [4, 11, 0, 'time_exceeded'],
    [4, 12, 0, 'parameter_problem'],
    [4, 8, 0, null],
    [6, 1, 0, 'no_route'],
    [6, 1, 1, 'admin_prohibited'],
    [6, 1, 3, 'address_unreachable'],
    [6, 1, 4, 'port_unreachable'],
    [6, 1, 99, 'destination_unreachable'],
    [6, 2, 0, 'packet_too_big'],
    [6, 3, 0, 'time_exceeded'],
    [6, 3, 1, null],
    [6, 4, 1, 'parameter_problem'],
    [6, 135, 0, null],
  ] as const;
  for (const [family, type, code, name] of cases)
    t.equal(icmpErrorName(family, type, code), name, `IPv${family} ${type}/${code}`);
});

t.test('an answer is the network’s fault, the host’s, or no fault', async (t) => {
  const cases: readonly (readonly [AnswerName, string | null])[] = [
    ['net_unreachable', 'net_unreachable'],
    ['no_route', 'net_unreachable'],
    ['host_unreachable', 'host_unreachable'],
    ['address_unreachable', 'host_unreachable'],
    ['port_unreachable', 'host_unreachable'],
    ['admin_prohibited', 'host_unreachable'],
    ['time_exceeded', null],
    ['echo_reply', null],
    ['tcp_rst', null],
  ];
  for (const [name, code] of cases) t.equal(unreachableCode(name), code, name);
});
