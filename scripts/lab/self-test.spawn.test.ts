import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { startLab } from './lab.js';
import { startLabAgent } from './lab-agent.js';
import { serviceAddresses } from './topology.js';

const skip = await missingForLab({ servers: ['dns'] });

if (skip !== false) t.test('an agent checks itself on a network that breaks', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['dns'] });
  t.teardown(() => lab.stop());
  const { v4, v6 } = serviceAddresses('zone');
  const canaries = [`tcp://${v4}:53`, `tcp://[${v6}]:53`];
  const agent = await startLabAgent(lab, { canaries });
  t.teardown(() => agent.stop());

  t.test('an agent finds both networks, its resolver, its clock and its raw sockets in order', async (t) => {
    t.match(await agent.firstSelfTest, {
      ipv4: { status: 'ok', detail: `${canaries[0]} answers` },
      ipv6: { status: 'ok', detail: `${canaries[1]} answers` },
      resolver: { status: 'ok' },
      clock: { status: /^ok$/, detail: /synchroni.*, \d+ ms (behind|ahead of) the control plane$/ },
      icmp: { status: 'ok', detail: 'raw sockets' },
    });
  });

  t.test('an agent whose IPv6 breaks says so, and how, and still trusts its IPv4', async (t) => {
    await lab.exec('r2', 'ip', 'route', 'add', 'unreachable', `${v6}/128`);
    const [icmp4, icmp6] = [`icmp://${v4}`, `icmp://${v6}`];
    t.match(await agent.selfTest([icmp4, icmp6]), {
      ipv4: { status: 'ok', detail: `${icmp4} answers` },
      ipv6: { status: 'failed', detail: `${icmp6}: net_unreachable` },
    });
    await lab.exec('agent', 'ip', '-6', 'route', 'del', 'default');
    t.match(await agent.selfTest(canaries), {
      ipv4: { status: 'ok', detail: `${canaries[0]} answers` },
      ipv6: { status: 'failed', detail: 'no default route over IPv6' },
    });
  });
}
