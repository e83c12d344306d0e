import t from 'tap';
import type { ImportReport } from '../modules/monitors/index.js';
import { reportText } from './import-report-text.js';

const heartbeat = {
  token: 'hbt_new',
  url: 'https://vantage.example/hb/hbt_new',
  state: 'new',
  badge_url: 'https://vantage.example/badge/1.svg',
} as const;

function aReport(parts: Partial<ImportReport> = {}): ImportReport {
  return {
    format: 'uptime-kuma',
    format_guessed: true,
    mode: 'skip',
    dry_run: false,
    total: 0,
    created: [],
    renamed: [],
    replaced: [],
    skipped: [],
    failed: [],
    warnings: [],
    ...parts,
  };
}

t.test(
  'a report groups everything by monitor, leaves zero counts out, and shows the new URL of an old token',
  async (t) => {
    const report = aReport({
      total: 5,
      created: [
        { index: 0, name: 'Shop', id: 'm_1' },
        { index: 1, name: 'Backup', id: 'm_2', heartbeat },
        { index: 2, name: 'Quiet', id: 'm_3' },
      ],
      skipped: [{ index: 3, name: 'Blog', id: null, reason: 'name_taken', message: 'a monitor with this name exists' }],
      failed: [
        {
          index: 4,
          name: 'Lan',
          code: 'MONITOR_INVALID_TARGET',
          field: 'target',
          problem: 'refused',
          message: 'target is private',
        },
      ],
      warnings: [
        { field: 'interval', message: '45 s was changed to 60 s', indexes: [0] },
        { field: 'pushToken', message: '"old123" is replaced by the token and URL of the monitor', indexes: [1] },
        { field: 'notificationList', message: 'were not imported: 2', indexes: [] },
      ],
    });
    t.strictSame(reportText(report, 'ada@example.com').split('\n'), [
      '5 monitors of ada@example.com in a file of uptime-kuma (detected): 3 created, 1 skipped, 1 not imported',
      '+ Shop',
      '    ! interval 45 s was changed to 60 s',
      '+ Backup',
      '    push token old123 -> https://vantage.example/api/push/hbt_new',
      '+ Quiet',
      '= Blog: skipped, a monitor with this name exists',
      'x Lan: target is private (MONITOR_INVALID_TARGET)',
      '! notificationList were not imported: 2',
    ]);
  },
);

t.test('the token of an external endpoint of Gatus stands next to the URL that replaces it', async (t) => {
  const report = aReport({
    format: 'gatus',
    total: 1,
    created: [{ index: 0, name: 'Backup', id: 'm_2', heartbeat }],
    warnings: [{ field: 'token', message: '"potato" is replaced by the token and URL of the monitor', indexes: [0] }],
  });
  t.strictSame(reportText(report, 'ada@example.com').split('\n').slice(1), [
    '+ Backup',
    '    push token potato -> https://vantage.example/hb/hbt_new',
  ]);
});

t.test('a warning about many monitors stands once, with some of their names', async (t) => {
  const created = Array.from({ length: 8 }, (_, index) => ({ index, name: `M${index}`, id: null }));
  const warnings = [{ field: 'proxyId', message: 'was not imported', indexes: created.map(({ index }) => index) }];
  const report = aReport({ total: 8, dry_run: true, created, warnings });
  t.strictSame(reportText(report, 'ada@example.com').split('\n').slice(1), [
    ...created.map(({ name }) => `+ ${name}`),
    '! proxyId was not imported: M0, M1, M2, M3, M4 and 3 more',
  ]);
});
