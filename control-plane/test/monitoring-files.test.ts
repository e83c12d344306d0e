import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { parse } from 'yaml';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const folder = fileURLToPath(new URL('../../../deploy/monitoring/', import.meta.url));
const rulesFile = path.join(folder, 'prometheus-rules.yml');
const rules: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(readFileSync(rulesFile, 'utf8'));
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  readFileSync(path.join(folder, 'grafana-dashboard.json'), 'utf8'),
);
const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

t.test('every metric of the alert rules and of the dashboard is served at /metrics', async (t) => {
  const { controlPlane } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
  const text = await (await fetch(controlPlane.metricsUrl ?? '')).text();
  const served = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  for (const { name, expr } of [
    ...alerts.map(({ alert, expr }) => ({ name: alert, expr })),
    ...panels.map(({ title, expr }) => ({ name: title, expr })),
  ])
    for (const [metric] of expr.matchAll(/\b(?:vantage|nodejs|process)_\w+/g))
      t.ok(served.has(metric.replace(/_(?:bucket|count|sum)$/, '')) || served.has(metric), `${name}: ${metric}`);
});

const skip = missing('promtool');

t.test('Prometheus accepts every rule, and every query of the dashboard', { skip }, async (t) => {
  const queries = panels.map(({ expr }, index) => ({
    record: `panel_${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }));
  const file = path.join(temporaryDirectory(t), 'panels.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: queries }] }));
  for (const [checked, count] of [
    [rulesFile, alerts.length],
    [file, panels.length],
  ] as const)
    t.match(String(execFileSync('promtool', ['check', 'rules', checked])), `SUCCESS: ${count} rules found`);
});

t.test('alerts fire when what they are named for happens, and not before', { skip }, async (t) => {
  const firing = (alertname: string, labels: object, summary: string) => ({
    alertname,
    exp_alerts: [{ exp_labels: { alertname, ...labels }, exp_annotations: { summary } }],
  });
  const quiet = (alertname: string) => ({ alertname, exp_alerts: [] });
  const at = (minutes: number, expected: object) => ({ eval_time: `${minutes}m`, ...expected });
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: 'up{job="vantage", instance="a"}', values: '1x9 0x10' },
          { series: 'vantage_links{job="vantage", instance="a"}', values: '100x9 50x10' },
          { series: 'vantage_rollouts_halted', values: '0x9 1x10' },
          { series: 'vantage_outbox_lag_seconds{consumer="webhooks"}', values: '1x9 120x10' },
        ],
        alert_rule_test: [
          at(9, quiet('VantageReplicaDown')),
          at(
            12,
            firing('VantageReplicaDown', { severity: 'page', job: 'vantage', instance: 'a' }, 'a does not respond'),
          ),
          at(9, quiet('VantageAgentsGone')),
          at(
            13,
            firing('VantageAgentsGone', { severity: 'page' }, 'a fifth of the agents of the last hour is offline'),
          ),
          at(9, quiet('VantageRolloutHalted')),
          at(
            11,
            firing(
              'VantageRolloutHalted',
              { severity: 'ticket' },
              'a roll-out has halted: vantage-control rollout list',
            ),
          ),
          at(9, quiet('VantageEventsWait')),
          at(
            13,
            firing('VantageEventsWait', { severity: 'page', consumer: 'webhooks' }, 'webhooks does not handle events'),
          ),
        ],
      },
    ],
  };
  const file = path.join(temporaryDirectory(t), 'test.yml');
  writeFileSync(file, JSON.stringify(test));
  t.match(String(execFileSync('promtool', ['test', 'rules', file])), /SUCCESS/);
});
