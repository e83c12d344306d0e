import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import t from 'tap';

const runFile = promisify(execFile);
const script = fileURLToPath(new URL('./_support/print-pings.js', import.meta.url));
const open = 'ip link set lo up; echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range; exec "$@"';

t.test(
  'ping works without privileges where the system permits ICMP sockets; a trace reports what it lacks',
  { skip: missing('permission to create networks', 'ip') },
  async (t) => {
    const unprivileged = ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'];
    const args = ['--net', '--', 'sh', '-c', open, 'sh', ...unprivileged, process.execPath, script];
    const printed: { kind: string; results: ProbeResults['ping'][]; trace: ProbeResults['traceroute'] } = JSON.parse(
      (await runFile('unshare', args)).stdout,
    );
    t.equal(printed.kind, 'datagram');
    t.equal(printed.results.length, 22);
    for (const result of printed.results) {
      t.match(result, {
        success: true,
        packets_sent: 3,
        packets_received: 3,
        packets_duplicate: 0,
        packets_out_of_order: 0,
      });
      t.ok(result.replies.every(({ ttl, rtt_ms }) => ttl === 64 && rtt_ms !== null && rtt_ms > 0));
    }
    t.match(printed.trace, { success: false, error: { code: 'not_supported', message: /sudo setcap cap_net_raw/ } });
  },
);
