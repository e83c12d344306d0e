import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { assign, endAssignment } from './database/slots-model.js';
import { slotsKey } from './database/tables.js';
import { NowAndThen } from './now-and-then.js';
import type { Site } from './site.js';

const INTERVALS_S = [5, 10, 20];
/** A run has none, or some: they cost a third of its time. */
const MOST_MONITORS = 2;

/** People who have monitors: they give them to nodes, change what is checked, pause them and move them, until stopped. */
export class Watching {
  readonly #site: Site;
  readonly #random;
  readonly #turns: NowAndThen;
  readonly #monitorIds: readonly string[];
  #generations = 0;

  constructor(site: Site, meanMs: number) {
    this.#site = site;
    this.#random = site.world.random.fork();
    this.#monitorIds = Array.from({ length: this.#random.integer(0, MOST_MONITORS) }, () =>
      newId(idPrefixes.monitor, site.world.wallMs, this.#random.bytes(10)),
    );
    this.#turns = new NowAndThen({ world: site.world, random: this.#random, meanMs, act: () => this.#change() });
  }

  start(): void {
    for (const monitorId of this.#monitorIds)
      for (const { nodeId } of this.#site.agents) if (this.#random.chance(0.7)) this.#assign(monitorId, nodeId);
    this.#turns.start();
  }

  stop(): void {
    this.#turns.stop();
  }

  #change(): void {
    const { tables, nowMs } = this.#site.database;
    if (this.#monitorIds.length === 0) return;
    const monitorId = this.#random.pick(this.#monitorIds);
    const { nodeId } = this.#random.pick(this.#site.agents);
    const assignment = tables.assignments.get(slotsKey(monitorId, nodeId));
    if (assignment === undefined || assignment.endedAt !== null || this.#random.chance(0.5)) {
      this.#assign(monitorId, nodeId);
    } else {
      endAssignment(tables, monitorId, nodeId, nowMs);
      this.#site.world.trace.add(nodeId.slice(-5), `is to watch ${monitorId.slice(-5)} no longer`);
    }
    this.#announce(monitorId, nodeId);
  }

  #assign(monitorId: string, nodeId: string): void {
    const { tables, nowMs } = this.#site.database;
    this.#generations += 1;
    const generation = this.#generations;
    const spec = { type: 'tcp', target: '192.0.2.9:80', config: {}, consecutive_fail: 2, consecutive_ok: 1 };
    const specJson = JSON.stringify({ ...spec, interval_s: this.#random.pick(INTERVALS_S) });
    assign(tables, { monitorId, nodeId, generation, specJson }, nowMs);
    this.#site.world.trace.add(nodeId.slice(-5), `is to watch ${monitorId.slice(-5)}, generation ${generation}`);
  }

  /** Announces a change as the API does, unless its replica dies just then: the others find out by themselves. */
  #announce(monitorId: string, nodeId: string): void {
    const { running } = this.#random.pick(this.#site.replicas);
    if (this.#random.chance(0.5)) running?.announcements.announce([{ id: monitorId, nodeIds: [nodeId] }]);
  }
}
