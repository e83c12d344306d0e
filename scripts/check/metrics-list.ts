type MetricsClass = new (registry: never) => object;

/** Part of a metric that its page repeats: `vantage_jobs{state}`. */
interface NamedMetric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/**
 * All metrics that these classes define, with their labels. A class is created with a registry that only records registrations,
 * and each of its `watch…` methods is called; the watched values are read only when metrics are collected, which never happens
 * here.
 */
export function readMetrics(classes: readonly MetricsClass[]): string[] {
  const noted: NamedMetric[] = [];
  const registry = { registerMetric: (metric: NamedMetric) => void noted.push(metric) };
  for (const type of classes) {
    const made = new type(registry as never);
    const watches = Object.getOwnPropertyNames(type.prototype).filter((method) => method.startsWith('watch'));
    for (const watch of watches) Reflect.apply(Reflect.get(made, watch), made, [() => null]);
  }
  return noted.map(({ name, labelNames }) => (labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`));
}
