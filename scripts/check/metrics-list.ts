type Exports = Readonly<Record<string, unknown>>;

/** Part of a metric that its page repeats: `vantage_jobs{state}`. */
interface NamedMetric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/**
 * All metrics that the control plane defines, with their labels. Its classes are created with a registry that only records
 * registrations, and each of their `watch…` methods is called; the watched values are read only when metrics are
 * collected, which never happens here.
 */
export function readMetrics(...modules: readonly Exports[]): string[] {
  const noted: NamedMetric[] = [];
  const registry = { registerMetric: (metric: NamedMetric) => void noted.push(metric) };
  for (const name of ['HttpMetrics', 'Metrics', 'MonitorMetrics', 'WebhookMetrics', 'AlertMetrics', 'LookupMetrics']) {
    const type = modules.map((module) => module[name]).find((exported) => typeof exported === 'function');
    if (typeof type !== 'function') throw new TypeError(`no class "${name}"`);
    const made: object = Reflect.construct(type, [registry]);
    const watches = Object.getOwnPropertyNames(type.prototype).filter((method) => method.startsWith('watch'));
    for (const watch of watches) Reflect.apply(Reflect.get(made, watch), made, [() => null]);
  }
  return noted.map(({ name, labelNames }) => (labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`));
}
