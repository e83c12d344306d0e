type Exports = Readonly<Record<string, unknown>>;
type MetricsClass = new (registry: object) => object;

/** Part of a metric that its page repeats: `vantage_jobs{state}`. */
interface NamedMetric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/**
 * All metrics that the control plane defines, with their labels, read from modules of code that export their classes. A class is
 * created with a registry that only records registrations, and each of its `watch…` methods is called; the watched values
 * are read only when metrics are collected, which never happens here.
 */
export function readMetrics(...modules: readonly Exports[]): string[] {
  const noted: NamedMetric[] = [];
  const registry = { registerMetric: (metric: NamedMetric) => void noted.push(metric) };
  for (const type of modules.flatMap(classesOf)) {
    const made = new type(registry);
    const watches = Object.getOwnPropertyNames(type.prototype).filter((method) => method.startsWith('watch'));
    for (const watch of watches) Reflect.apply(Reflect.get(made, watch), made, [() => null]);
  }
  return noted.map(({ name, labelNames }) => (labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`));
}

/** Exported classes whose name ends in `Metrics`, and those of the modules in a list of modules. @throws if there are none */
function classesOf(exported: Exports): MetricsClass[] {
  const own = Object.entries(exported).flatMap(([name, value]) => (name.endsWith('Metrics') ? [value] : []));
  const { metricsOfModules = [] } = exported;
  const classes = [...own, ...(metricsOfModules as readonly unknown[])];
  if (classes.length === 0) throw new TypeError(`no class of metrics among ${Object.keys(exported).join(', ')}`);
  return classes as MetricsClass[];
}
