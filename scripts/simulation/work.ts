import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { statusOf } from 'vantage-control/modules/nodes/index.js';
import type { NewTask } from 'vantage-control/modules/probes/store.js';
import type { SeededRandom } from '../seeded-random.js';
import { NowAndThen } from './now-and-then.js';
import type { Site } from './site.js';

const PARAMS = { timeout_ms: 5_000, count: 1, banner: false, ip_version: 'auto' };
const SPEC = { type: 'tcp', target: '192.0.2.9:80', params: PARAMS };
/** Deadline that the API gives a tcp probe, and the time after which its node task ends, in milliseconds. */
const DEADLINE_MS = 11_000;
const EXPIRES_MS = 41_000;

/** People who ask for probes, on whichever replica, until stopped. */
export class Work {
  readonly #site: Site;
  readonly #random: SeededRandom;
  readonly #turns: NowAndThen;

  constructor(site: Site, meanMs: number) {
    this.#site = site;
    this.#random = site.world.random.fork();
    this.#turns = new NowAndThen({ world: site.world, random: this.#random, meanMs, act: () => this.#ask() });
  }

  start(): void {
    this.#turns.start();
  }

  /** Sets a longer mean interval. */
  slowDown(meanMs: number): void {
    this.#turns.slowDown(meanMs);
  }

  stop(): void {
    this.#turns.stop();
  }

  #ask(): void {
    const { running } = this.#random.pick(this.#site.replicas);
    if (running === null) return;
    const online = [...running.directory.all()].filter((node) => statusOf(node) === 'online');
    if (online.length === 0) return;
    const first = this.#random.pick(online).id;
    const nodeIds = this.#random.chance(0.3) ? [...new Set([first, this.#random.pick(online).id])] : [first];
    const task = this.#newTask(nodeIds, running.process.clock.now());
    running.recent.add(task);
    const stored = running.dispatch.store(task).then(() => {
      for (const { id, nodeId } of task.nodeTasks) {
        this.#site.recorder.add('accepted', { subject: id, nodeId }, `is asked for ${id.slice(-5)}`);
      }
      running.dispatch.send(task);
    });
    // the caller is notified that it failed
    stored.catch(() => running.recent.forget([task.id]));
  }

  #newTask(nodeIds: readonly string[], now: number): NewTask {
    const ids = Array.from({ length: nodeIds.length + 1 }, () =>
      newId(idPrefixes.probeTask, now, this.#random.bytes(10)),
    );
    const [id = '', ...nodeTaskIds] = ids.sort();
    return {
      id,
      ownerId: null,
      isTest: false,
      probeType: SPEC.type,
      target: SPEC.target,
      spec: SPEC,
      specJson: JSON.stringify(SPEC),
      deadlineMs: DEADLINE_MS,
      createdAt: new Date(now),
      expiresInMs: EXPIRES_MS,
      targetKeys: null,
      nodeTasks: nodeIds.map((nodeId, index) => ({ id: nodeTaskIds[index] ?? '', nodeId, refusedCode: null })),
    };
  }
}
