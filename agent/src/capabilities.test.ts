import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import { capabilities } from '@vantage/shared/probe-types/definition.js';
import t from 'tap';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../test/_support/print-capabilities.js', import.meta.url));
// root without the one capability; anybody else does not have it in the first place
const dropRawSockets =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'] : ['env'];

/** Capability without a search for a browser. */
const noBrowser = { name: 'browser', isAvailable: false, reason: 'disabled', remedy: 'unset VANTAGE_CHROMIUM' };

async function printed(...command: string[]): Promise<{ list: string[]; rows: object[]; kind: string | null }> {
  const [program = '', ...args] = [...command, process.execPath, script];
  return JSON.parse((await run(program, args)).stdout);
}

t.test('with raw sockets icmp is available, and the means are named', { skip: missing('raw sockets') }, async (t) => {
  const report = await printed('env');
  t.same(report.list, ['icmp', 'icmp_echo']);
  const row = { isAvailable: true, reason: /^raw sockets of the addon, times of the kernel/, remedy: null };
  t.match(report, {
    kind: 'addon',
    rows: [{ name: 'icmp', ...row }, { name: 'icmp_echo', ...row }, noBrowser],
  });
});

// a namespace of its own begins without ICMP sockets for anybody
const isolated = ['unshare', '--net', '--', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh'];
const open = 'ip link set lo up; echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range; exec "$@"';
const opened = ['unshare', '--net', '--', 'sh', '-c', open, 'sh'];
const skip = missing('permission to create networks', 'ip');
const grant = `sudo setcap cap_net_raw+ep ${realpathSync(process.execPath)}`;

t.test(
  'without permission icmp is not available, and the command that grants it names the running node',
  { skip },
  async (t) => {
    const report = await printed(...isolated, ...dropRawSockets);
    const row = { isAvailable: false, reason: 'the system does not permit raw sockets', remedy: grant };
    t.same(report, {
      list: [],
      kind: null,
      rows: [{ name: 'icmp', ...row }, { name: 'icmp_echo', ...row }, noBrowser],
    });
  },
);

t.test(
  'where the system permits ICMP sockets to everyone, echo is available and names its limits',
  { skip },
  async (t) => {
    const report = await printed(...opened, ...dropRawSockets);
    t.match(report, {
      list: ['icmp_echo'],
      kind: 'datagram',
      rows: [
        { name: 'icmp', isAvailable: false, reason: 'the system does not permit raw sockets', remedy: grant },
        {
          name: 'icmp_echo',
          isAvailable: true,
          reason: /^ICMP sockets without privileges: ICMP errors are not received/,
        },
        noBrowser,
      ],
    });
  },
);

t.test('every capability has a row', async (t) => {
  const { rows } = await printed(...dropRawSockets);
  t.match(
    rows,
    capabilities.map((name) => ({ name })),
  );
  t.equal(rows.length, capabilities.length);
});
