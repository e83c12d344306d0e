import { readFileSync } from 'node:fs';
import t from 'tap';
import { HttpMetrics } from 'vantage-control/http/frame/metrics.js';
import { AlertMetrics } from 'vantage-control/runtime/alert-metrics.js';
import { LookupMetrics } from 'vantage-control/runtime/lookup-metrics.js';
import { Metrics } from 'vantage-control/runtime/metrics.js';
import { MonitorMetrics } from 'vantage-control/runtime/monitor-metrics.js';
import { WebhookMetrics } from 'vantage-control/runtime/webhook-metrics.js';
import { readMetrics } from './metrics-list.js';

const metrics = readMetrics(
  { HttpMetrics },
  { Metrics },
  { MonitorMetrics },
  { WebhookMetrics },
  { AlertMetrics },
  { LookupMetrics },
);
const rules = readFileSync(new URL('../../../docs/examples/prometheus-rules.yml', import.meta.url), 'utf8');

t.test('metrics are read with their labels, those that are watched included', async (t) => {
  t.ok(metrics.includes('vantage_links'));
  t.ok(metrics.includes('vantage_jobs{state}'));
  t.ok(metrics.includes('vantage_monitors_due'));
  t.throws(() => readMetrics({ Metrics }), /no class "HttpMetrics"/);
});

t.test('the alerts of the operating guide are about metrics that there are', async (t) => {
  const names = new Set(metrics.map((metric) => metric.replace(/\{.*/, '')));
  const used = [...rules.matchAll(/\bvantage_\w+/g)].map(([name]) => name);
  t.ok(used.length >= 14);
  for (const name of used) t.ok(names.has(name.replace(/_(?:bucket|count|sum)$/, '')), name);
});
