import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { makeUnitRoot } from './_support/unit-root.js';

const options = { skip: missing('systemd-analyze') };
const programs = [
  '/opt/vantage-agent/current/bin/vantage-agent',
  '/opt/vantage-agent/install-agent',
  '/opt/vantage-control/current/bin/vantage-control',
];

/** Greatest exposure level of each service: 0 is nothing at all, 10 is everything that root may do. */
const levels = { 'vantage-agent.service': 2.1, 'vantage-control.service': 1.9, 'vantage-agent-upgrade.service': 3.5 };

t.test(
  'systemd-analyze has no complaint about a unit, and its exposure level stays where it is',
  options,
  async (t) => {
    const root = await makeUnitRoot(t, { programs, dropIns: false });
    for (const [service, level] of Object.entries(levels)) {
      t.equal(await root.verify(service), '', service);
      t.ok((await root.exposure(service)) <= level, `${service}: ${await root.exposure(service)}`);
    }
  },
);

t.test('the drop-in for browser monitors adds namespaces and chroot, and no more', options, async (t) => {
  const root = await makeUnitRoot(t, { programs, dropIns: true });
  t.equal(await root.verify('vantage-agent.service'), '');
  const level = await root.exposure('vantage-agent.service');
  t.ok(level > levels['vantage-agent.service'] && level <= 2.9, String(level));
});

t.test('a unit whose program is missing is reported', options, async (t) => {
  const root = await makeUnitRoot(t, { programs: [], dropIns: false });
  t.match(await root.verify('vantage-control.service'), /vantage-control is not executable/);
});
