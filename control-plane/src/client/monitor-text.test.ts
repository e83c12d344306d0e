import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { type Check, type MonitorDetail, monitorText } from './monitor-text.js';
import { placeOfNodes } from './node-places.js';

const nowMs = Date.parse('2026-11-30T14:06:00.000Z');
const at = (time: string) => `2026-11-30T${time}.000Z`;
const screen = { width: 80, paint: plain };

const shop: MonitorDetail = {
  id: 'm_1ChUJqUmpxSbuvm9tz5jUJ',
  name: 'Shop',
  type: 'https',
  target: 'https://example.com/',
  interval_s: 60,
  status: 'active',
  current_status: 'down',
  uptime_percent: 99,
  reason: '2 of 3 nodes: tcp_refused: connection refused',
  state_since: at('14:02:00'),
  in_maintenance: false,
  assigned_node_ids: ['n_1', 'n_2', 'n_3'],
  next_check_at: at('14:06:31'),
  advisory: null,
};
const placeOf = placeOfNodes([
  { id: 'n_1', name: 'fra', city: 'Frankfurt', country: 'DE', asn: null },
  { id: 'n_2', name: 'par', city: null, country: 'FR', asn: null },
]);
const check = (node_id: string, fields: Partial<Check> = {}): Check => ({
  node_id,
  started_at: at('14:05:31'),
  success: true,
  outcome: 'ok',
  response_ms: 23,
  error: null,
  ...fields,
});

t.test('a monitor that is down says since when, why, what each node saw last, and when it looks again', async (t) => {
  const checks = [
    check('n_1', {
      success: false,
      outcome: 'failed',
      response_ms: null,
      error: 'tcp_refused: connection refused by the server',
    }),
    check('n_2', { started_at: at('14:05:12') }),
    check('n_1', { started_at: at('14:04:31') }),
    check('n_9'),
  ];
  t.equal(
    monitorText(shop, { checks, placeOf, nowMs }, screen),
    [
      'Shop: down for 4 min, since 14:02:00 UTC',
      'reason      2 of 3 nodes report: connection refused',
      'checks      Frankfurt, DE  failed    14:05:31 UTC  connection refused by the',
      '                                                   server',
      '            FR             ok        14:05:12 UTC  23 ms',
      '            n_3            none yet',
      'next check  14:06:31 UTC, in 31 s',
    ].join('\n'),
  );
});

t.test('a heartbeat shows its last ping, the next one, and where the job checks in', async (t) => {
  const heartbeat = {
    url: 'https://vantage.example/hb/hb_1',
    state: 'up',
    last_ping_at: at('14:01:00'),
    last_ping_ip: '192.0.2.1',
    last_ping_via: 'GET',
    next_expected: [at('15:01:00')],
  };
  const job = { ...shop, name: 'Backup', type: 'heartbeat', current_status: 'up', reason: null, heartbeat };
  const since = { ...job, state_since: '2026-11-28T14:02:00.000Z' };
  t.strictSame(monitorText(since, { checks: [], placeOf, nowMs }, screen).split('\n'), [
    'Backup: up for 2 d, since 2026-11-28 14:02:00 UTC',
    'last ping   14:01:00 UTC, from 192.0.2.1 by GET',
    'next ping   15:01:00 UTC, in 55 min',
    'check in    https://vantage.example/hb/hb_1',
  ]);
  const late = { ...job, current_status: 'down', reason: `no ping came that was expected at ${at('14:04:00')}` };
  t.match(monitorText(late, { checks: [], placeOf, nowMs }, screen), /^next ping +overdue since 14:04:00 UTC$/m);
});

t.test('a monitor that is paused, unknown or in maintenance says so', async (t) => {
  const seen = { checks: [], placeOf, nowMs };
  const paused = { ...shop, status: 'paused', reason: null, assigned_node_ids: [], next_check_at: null };
  t.strictSame(monitorText(paused, seen, screen).split('\n'), [
    'Shop: paused for 4 min, since 14:02:00 UTC',
    'checks      no node checks it',
    'next check  none: the monitor is paused',
  ]);
  const unknown = { ...shop, current_status: 'unknown', reason: null, in_maintenance: true };
  t.match(
    monitorText(unknown, seen, screen),
    /^Shop: unknown for 4 min, .* UTC, in a maintenance window\nreason +fewer nodes than needed have reported\n/,
  );
  const placement = { field: 'config.allow_secrets_on', message: 'no trusted node is online' };
  t.match(
    monitorText({ ...unknown, advisory: { placement } }, seen, screen),
    /\nnote +--set allow_secrets_on: no trusted node is online\n/,
  );
});
