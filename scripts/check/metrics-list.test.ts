import { existsSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { HttpMetrics } from 'vantage-control/http/frame/metrics.js';
import { Metrics } from 'vantage-control/runtime/metrics.js';
import { metricsOfModules, modules } from 'vantage-control/wiring/modules.js';
import { readMetrics } from './metrics-list.js';

const metrics = readMetrics({ HttpMetrics }, { Metrics }, { metricsOfModules });
const moduleFolders = new URL('../../../control-plane/src/modules/', import.meta.url);
const rules = readFileSync(new URL('../../../docs/examples/prometheus-rules.yml', import.meta.url), 'utf8');

t.test('metrics are read with their labels, those that are watched included', async (t) => {
  t.ok(metrics.includes('vantage_links'));
  t.ok(metrics.includes('vantage_jobs{state}'));
  t.ok(metrics.includes('vantage_monitors_due'));
  t.ok(metrics.includes('vantage_webhook_pending'));
  t.throws(() => readMetrics({ Metrics }, { modules }), /no class of metrics among modules/);
});

t.test('a module with a file of metrics names their class in its definition', async (t) => {
  const withMetrics = readdirSync(moduleFolders).filter((name) =>
    existsSync(new URL(`${name}/metrics.ts`, moduleFolders)),
  );
  t.ok(withMetrics.length > 0);
  for (const name of withMetrics) t.ok(modules.find((module) => module.name === name)?.metrics, name);
});

t.test('the alerts of the operating guide are about metrics that exist', async (t) => {
  const names = new Set(metrics.map((metric) => metric.replace(/\{.*/, '')));
  const used = [...rules.matchAll(/\bvantage_\w+/g)].map(([name]) => name);
  t.ok(used.length >= 14);
  for (const name of used) t.ok(names.has(name.replace(/_(?:bucket|count|sum)$/, '')), name);
});
