type Exports = Readonly<Record<string, unknown>>;

/** What of a metric its page repeats: `vantage_jobs{state}`. */
interface NamedMetric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

/**
 * Every metric of the control plane's own, labels included. Its classes are made with a registry that only notes what
 * registers, and every `watch…` of theirs is called: what they watch is asked for when metrics are collected, here never.
 */
export function readMetrics(...modules: readonly Exports[]): string[] {
  const noted: NamedMetric[] = [];
  const registry = { registerMetric: (metric: NamedMetric) => void noted.push(metric) };
  for (const name of ['HttpMetrics', 'Metrics', 'MonitorMetrics']) {
    const type = modules.map((module) => module[name]).find((exported) => typeof exported === 'function');
    if (typeof type !== 'function') throw new TypeError(`no class "${name}"`);
    const made: object = Reflect.construct(type, [registry]);
    const watches = Object.getOwnPropertyNames(type.prototype).filter((method) => method.startsWith('watch'));
    for (const watch of watches) Reflect.apply(Reflect.get(made, watch), made, [() => null]);
  }
  return noted.map(({ name, labelNames }) => (labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`));
}
