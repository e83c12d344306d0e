import type { StoredSchedule } from 'vantage-agent/schedule/stored-schedule.js';
import { phaseOfWatch } from '../invariants/due-slots.js';
import type { HistoryWriter } from './history-writer.js';

interface Heard {
  readonly monitorId: string;
  readonly generation: number;
  readonly specJson: Uint8Array;
}

interface HeardFrame {
  readonly set: readonly Heard[];
  readonly dropped: readonly string[];
  /** True if the node has to drop all other assignments. */
  readonly isEverything: boolean;
}

interface Watch {
  readonly generation: number;
  readonly intervalMs: number;
  /** True if the node is responsible for its slots: its disk has had the assignment since. */
  isKept: boolean;
}

/**
 * Sees from outside what a node answers for: its assignments, from when its disk had one until it had
 * another.
 */
export class WatchWitness {
  readonly #recorder: HistoryWriter;
  readonly #heard = new Map<string, Map<string, Watch>>();

  constructor(recorder: HistoryWriter) {
    this.#recorder = recorder;
  }

  /** A frame about assignments reached a node. */
  hear(nodeId: string, { set, dropped, isEverything }: HeardFrame): void {
    const watches = this.#of(nodeId);
    const named = new Set(set.map(({ monitorId }) => monitorId));
    const unnamed = isEverything ? [...watches.keys()].filter((monitorId) => !named.has(monitorId)) : [];
    for (const monitorId of [...dropped, ...unnamed]) this.#end(nodeId, monitorId);
    for (const { monitorId, generation, specJson } of set) {
      if (watches.get(monitorId)?.generation === generation) continue;
      this.#end(nodeId, monitorId);
      const { interval_s } = JSON.parse(Buffer.from(specJson).toString()) as { interval_s: number };
      watches.set(monitorId, { generation, intervalMs: interval_s * 1_000, isKept: false });
    }
  }

  /** Records the current contents of a node's disk. */
  kept(nodeId: string, { rows }: StoredSchedule): void {
    for (const { monitorId, generation, done, firstMs } of rows) {
      const watch = this.#of(nodeId).get(monitorId);
      if (watch === undefined || watch.generation !== generation || watch.isKept || done === null) continue;
      watch.isKept = true;
      const { intervalMs } = watch;
      const afterMs = phaseOfWatch({ monitorId, nodeId, intervalMs }) + done * intervalMs;
      const watched = { nodeId, monitorId, generation, intervalMs, afterMs };
      const name = `answers for ${monitorId.slice(-5)} of generation ${generation} from ${afterMs}`;
      this.#recorder.add('watch-begun', { ...watched, ...(firstMs === null ? {} : { firstMs }) }, name);
    }
  }

  /** Records a replaced disk: the node's responsibility starts again. */
  restored(nodeId: string): void {
    for (const [monitorId, watch] of this.#of(nodeId)) {
      if (watch.isKept) this.#recorder.add('watch-ended', { nodeId, monitorId });
      watch.isKept = false;
    }
  }

  /** A database that was failed over does not know of it. */
  forgotten(nodeId: string, monitorId: string): void {
    this.#recorder.add('watch-forgotten', { nodeId, monitorId }, `is forgotten for ${monitorId.slice(-5)}`);
    this.#of(nodeId).delete(monitorId);
  }

  #end(nodeId: string, monitorId: string): void {
    const watches = this.#of(nodeId);
    if (watches.get(monitorId)?.isKept === true) this.#recorder.add('watch-ended', { nodeId, monitorId });
    watches.delete(monitorId);
  }

  #of(nodeId: string): Map<string, Watch> {
    const watches = this.#heard.get(nodeId) ?? new Map<string, Watch>();
    this.#heard.set(nodeId, watches);
    return watches;
  }
}
