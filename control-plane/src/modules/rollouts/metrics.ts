import { Gauge, type Registry } from 'prom-client';
import type { NodeCounts } from './rollout.js';

/** Open roll-out, as metrics show it. */
export interface OpenRollout {
  readonly isHalted: boolean;
  readonly counts: NodeCounts;
}

/** Metrics of roll-outs. */
export class RolloutMetrics {
  constructor(private readonly registry: Registry) {}

  /** Gauges over the open roll-out, read when scraped; none while `read` returns null. */
  watchOpen(read: () => Promise<OpenRollout | 'none' | null>): readonly Gauge<string>[] {
    const halted = new Gauge({
      name: 'vantage_rollouts_halted',
      help: 'Roll-outs that have halted because too many nodes failed; every replica reports the same value.',
      registers: [this.registry],
      async collect() {
        const open = await read();
        this.reset();
        if (open !== null) this.set(open !== 'none' && open.isHalted ? 1 : 0);
      },
    });
    const nodes = new Gauge({
      name: 'vantage_rollout_nodes',
      help: 'Nodes of the open roll-out, by state; every replica reports the same value.',
      labelNames: ['state'],
      registers: [this.registry],
      async collect() {
        const open = await read();
        this.reset();
        if (open === null || open === 'none') return;
        for (const [state, count] of Object.entries(open.counts)) this.set({ state }, count);
      },
    });
    return [halted, nodes];
  }
}
