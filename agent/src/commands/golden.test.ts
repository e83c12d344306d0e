import { compareGolden } from '@vantage/shared/_support/golden.js';
import { type DoctorCheck, doctorText } from '@vantage/shared/terminal/check-lines.js';
import t from 'tap';
import { aSpoolStatus, aStatus } from '../../test/_support/a-status.js';
import { judgeStatus } from './status.js';
import { readableStatus } from './status-text.js';

const folder = new URL('../../../test/testdata/terminal/', import.meta.url);
const nowMs = Date.UTC(2026, 10, 20, 12);

const lanes = {
  task: { rows: 3, bytes: 4_096, oldest_at: '2026-11-20T11:58:00.000Z' },
  check: { rows: 120, bytes: 81_920, oldest_at: '2026-11-20T11:30:00.000Z' },
};
const status = judgeStatus({
  stateDir: '/var/lib/vantage-agent',
  identity: {
    nodeId: 'n_1ChU2iUpVhxRc9YkMcUYzh',
    controlUrls: ['https://vantage.example', 'https://eu.vantage.example'],
  },
  isInUse: true,
  agent: aStatus({
    node_id: 'n_1ChU2iUpVhxRc9YkMcUYzh',
    link: {
      state: 'waiting',
      url: 'https://vantage.example',
      since: '2026-11-20T11:59:50.000Z',
      next_try_at: '2026-11-20T12:00:08.000Z',
      credits: null,
      last_end: {
        reason: 'unreachable',
        message: 'connect ECONNREFUSED 192.0.2.1:443 after the name of the control plane was resolved to one address',
        at: '2026-11-20T11:59:50.000Z',
      },
    },
    spool: aSpoolStatus({ rows: 123, bytes: 86_016, held_bytes: 90_112, oldest_at: lanes.check.oldest_at, lanes }),
    capabilities: ['icmp', 'icmp_echo'],
  }),
  diskProblem: null,
  readSpool: () => aSpoolStatus(),
  nowMs,
});

const checks: readonly DoctorCheck[] = [
  { name: 'state directory', status: 'ok', detail: '/var/lib/vantage-agent, of this user alone', remedy: null },
  {
    name: 'capability icmp',
    status: 'warning',
    detail: 'no raw sockets: this user lacks CAP_NET_RAW, so traceroute and mtr cannot run',
    remedy: 'run the agent as root, or once: sudo setcap cap_net_raw+ep "$(readlink -f "$(command -v node)")"',
  },
  {
    name: 'control plane',
    status: 'failed',
    detail: 'https://vantage.example does not respond: connect ECONNREFUSED 192.0.2.1:443',
    remedy: 'check the address, the firewall between the two and that vantage-control runs there',
  },
];

t.test('the status of an agent looks as recorded at each width, with and without colour', async (t) => {
  compareGolden(t, new URL('status.txt', folder), (screen) => readableStatus(status, nowMs, screen));
});

t.test('what doctor says looks as recorded at each width, with and without colour', async (t) => {
  compareGolden(t, new URL('doctor.txt', folder), (screen) => doctorText(checks, screen, {}));
});
