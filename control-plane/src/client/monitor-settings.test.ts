import { Command } from 'commander';
import t from 'tap';
import {
  addSettingOptions,
  refuseForeignOptions,
  type SettingOptions,
  settingFields,
  settingRefusal,
  settingWord,
} from './monitor-settings.js';

const parse = (...args: string[]): SettingOptions =>
  addSettingOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(args, { from: 'user' })
    .opts();

t.test('options become the fields of the API, by the type of the monitor', async (t) => {
  for (const [type, args, fields] of [
    [
      'https',
      ['--interval', '5m', '--nodes', '2', '--from', 'DE'],
      { interval_s: 300, node_count: 2, node_selection: { countries: ['DE'] } },
    ],
    ['keyword', ['--contains', 'In stock'], { config: { keyword: 'In stock', mode: 'contains' } }],
    ['keyword', ['--absent', 'Error'], { config: { keyword: 'Error', mode: 'absent' } }],
    ['json', ['--path', '$.a', '--equals', '5'], { config: { path: '$.a', value: 5 } }],
    [
      'json',
      ['--path', '$.a', '--equals', '18014398509481985'],
      { config: { path: '$.a', value: '18014398509481985' } },
    ],
    ['https', ['--set', 'method=HEAD', '--set', 'verify_tls=false'], { config: { method: 'HEAD', verify_tls: false } }],
    [
      'heartbeat',
      ['--interval', '1d', '--grace', '90'],
      { config: { mode: 'interval', interval_s: 86_400, grace_s: 90 } },
    ],
    [
      'heartbeat',
      ['--cron', '0 2 * * *', '--name', 'B'],
      { name: 'B', config: { mode: 'cron', cron_expr: '0 2 * * *' } },
    ],
  ] as const)
    t.strictSame(settingFields(type, parse(...args)), fields, args.join(' '));
});

t.test('a change keeps the other settings, and replaces the rhythm of a job as a whole', async (t) => {
  const before = { method: 'GET', expected_status: 204 };
  t.strictSame(settingFields('https', parse('--name', 'B'), before), { name: 'B' }, 'config stays as it is');
  t.strictSame(settingFields('https', parse('--set', 'method=HEAD', '--set', 'expected_status='), before), {
    config: { method: 'HEAD' },
  });
  const daily = { mode: 'interval', interval_s: 86_400, grace_s: 60 };
  t.strictSame(settingFields('heartbeat', parse('--cron', '0 2 * * *'), daily), {
    config: { mode: 'cron', grace_s: 60, cron_expr: '0 2 * * *' },
  });
});

t.test('an option of another type is refused by its name, and a refusal names the option', async (t) => {
  for (const [type, args, message] of [
    ['tcp', ['--grace', '5'], '--grace is for heartbeat, not for tcp'],
    ['https', ['--contains', 'x'], '--contains is for keyword and heartbeat, not for https'],
    ['heartbeat', ['--nodes', '2'], '--nodes is for monitors that nodes check, not for heartbeat'],
  ] as const)
    t.throws(() => refuseForeignOptions(type, parse(...args)), { message });
  for (const args of [
    ['--interval', 'soon'],
    ['--nodes', '0'],
    ['--set', 'method'],
  ])
    t.throws(() => parse(...args), new RegExp(args[0] ?? ''), args.join(' '));
  for (const [field, word] of [
    ['interval_s', '--interval'],
    ['config.interval_s', '--interval'],
    ['config.expected_status', '--set expected_status'],
    ['node_selection.countries.0', '--from'],
    ['target', 'target'],
  ] as const)
    t.equal(settingWord(field), word);
  t.equal(settingRefusal('--interval', 'must be one of 10, 30, 300, 1800'), 'must be one of 10s, 30s, 5m, 30m');
  t.equal(settingRefusal('--grace', 'must be at most 60'), 'must be at most 60');
});
