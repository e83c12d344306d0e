import { existsSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { HttpMetrics } from 'vantage-control/http/frame/metrics.js';
import { Metrics } from 'vantage-control/runtime/metrics.js';
import { metricsOfModules, modules } from 'vantage-control/wiring/modules.js';
import { readMetrics } from './metrics-list.js';

const metrics = readMetrics([HttpMetrics, Metrics, ...metricsOfModules]);
const moduleFolders = new URL('../../../control-plane/src/modules/', import.meta.url);
const monitoring = new URL('../../../deploy/monitoring/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, monitoring), 'utf8');
/** Labels that Prometheus adds, and those of histograms. */
const commonLabels = ['instance', 'job', 'le'];

t.test('metrics are read with their labels, those that are watched included', async (t) => {
  t.ok(metrics.includes('vantage_links'));
  t.ok(metrics.includes('vantage_jobs{state}'));
  t.ok(metrics.includes('vantage_monitors_due'));
  t.ok(metrics.includes('vantage_webhook_pending'));
});

t.test('a module with a file of metrics names their class in its definition', async (t) => {
  const withMetrics = readdirSync(moduleFolders).filter((name) =>
    existsSync(new URL(`${name}/metrics.ts`, moduleFolders)),
  );
  t.ok(withMetrics.length > 0);
  for (const name of withMetrics) t.ok(modules.find((module) => module.name === name)?.metrics, name);
});

t.test('alert rules and dashboard select and group by labels that their metrics have', async (t) => {
  const labelsOf = new Map(
    metrics.map((metric) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(metric) ?? [];
      return [name, [...labels.split(','), ...commonLabels]];
    }),
  );
  const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(read('grafana-dashboard.json'));
  const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = read('prometheus-rules.yml').split(/^ +- alert: /m);
  t.ok(panels.length > 20 && rules.length > 20);
  for (const text of [...panels, ...rules.slice(1)]) {
    const used = [...text.matchAll(/\b(vantage_\w+)(?:\{([^}]*)\})?/g)];
    for (const [, name = '', matchers = ''] of used) {
      const labels = labelsOf.get(name.replace(/_(?:bucket|count|sum)$/, ''));
      t.ok(labels, `${name} exists`);
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g))
        t.ok(labels?.includes(label), `${name}{${label}}`);
      for (const [, grouped = ''] of text.matchAll(/\bby \(([^)]*)\)/g))
        for (const label of grouped.split(', ')) t.ok(labels?.includes(label), `${name} by ${label}`);
    }
  }
});
