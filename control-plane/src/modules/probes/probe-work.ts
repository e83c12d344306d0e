import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import type { StoredResult } from '../../ingest/index.js';
import type { LinkTable } from '../../links/index.js';
import { Waiters } from '../../runtime/waiters.js';
import type { NodeDirectory } from '../nodes/index.js';
import { Dispatch } from './dispatch.js';
import { RecentTasks } from './recent-tasks.js';
import type { DispatchStore } from './store.js';

interface ProbeWorkOptions {
  readonly store: DispatchStore;
  readonly replicaId: string;
  readonly directory: NodeDirectory;
  readonly links: LinkTable;
  readonly bus: Bus;
  readonly metrics: { countResult(type: string, outcome: string): void };
  readonly clock: Clock;
  readonly log: Logger;
}

/** The part of probes that links use. The simulation builds it on its own stores. */
export interface ProbeWork {
  readonly dispatch: Dispatch;
  readonly recent: RecentTasks;
  readonly waiters: Waiters;
  /** Wakes the listeners of the tasks, here and on every other replica. Call it after the results were committed. */
  finish(results: readonly StoredResult[]): void;
}

/** Builds the parts of probes that links use; nothing runs yet. */
export function openProbeWork(options: ProbeWorkOptions): ProbeWork {
  const { bus, clock } = options;
  const [waiters, recent] = [new Waiters(), new RecentTasks(clock)];
  bus.onMessage((message) => {
    if (message.type !== 'finished') return;
    recent.forget(message.ids);
    waiters.wake(message.ids);
  });
  return {
    dispatch: new Dispatch({ ...options, waiters, recent }),
    recent,
    waiters,
    finish(results) {
      recent.finish(results);
      const taskIds = [...new Set(results.map(({ requestId }) => requestId))];
      waiters.wake(taskIds);
      bus.broadcast({ type: 'finished', ids: taskIds });
    },
  };
}
