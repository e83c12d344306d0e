import { ALERT_CHANNELS, turnTarget } from './database/alerts-model.js';
import { NowAndThen } from './now-and-then.js';
import type { Site } from './site.js';

/** Greatest number of monitors whose targets break. */
const MOST_MONITORS = 2;
/** Least and greatest mean time between two changes, in milliseconds; each order of magnitude is equally likely. */
const MEAN_MS = { least: 2_000, most: 20_000 };

/** Targets that break and are mended, until told to stop. */
export class BreakingTargets {
  readonly #site: Site;
  readonly #random;
  readonly #turns: NowAndThen;
  readonly #monitorIds: readonly string[];
  #events = 0;

  constructor(site: Site) {
    this.#site = site;
    this.#random = site.alertRandom.fork();
    const meanMs = this.#random.magnitude(MEAN_MS.least, MEAN_MS.most);
    const count = site.hasAlerts ? this.#random.integer(1, MOST_MONITORS) : 0;
    this.#monitorIds = Array.from({ length: count }, (_, index) => `target${index + 1}`);
    this.#turns = new NowAndThen({ world: site.world, random: this.#random, meanMs, act: () => this.#turn() });
  }

  start(): void {
    if (this.#monitorIds.length > 0) this.#turns.start();
  }

  /** Mends all of them. */
  stop(): void {
    this.#turns.stop();
    for (const { monitorId, endedAt } of this.#site.database.tables.troubles.values())
      if (endedAt === null) this.#turnOne(monitorId);
  }

  #turn(): void {
    this.#turnOne(this.#random.pick(this.#monitorIds));
  }

  #turnOne(monitorId: string): void {
    const { database, world } = this.#site;
    this.#events += 1;
    turnTarget(database.tables, monitorId, { eventId: `event${this.#events}`, nowMs: database.nowMs });
    world.trace.add(monitorId, 'breaks, or is mended');
  }
}

/** True if nobody is still to be told of anything. */
export function isEverybodyTold({ database }: Site): boolean {
  const { news, alerts, messages } = database.tables;
  const isOver = [...alerts.values()].every(({ state }) => state.status === 'resolved');
  return news.length === 0 && isOver && [...messages.values()].every(({ isFinished }) => isFinished);
}

/** Writes down of what each channel was to be told. */
export function readEpisodes({ database, recorder }: Site): void {
  const { alerts, troubles } = database.tables;
  const alerted = new Set([...alerts.values()].map(({ state }) => state.monitorEventId));
  const episodes = [...alerts.values()].map(({ id, createdAt, state }) => ({
    alertId: id,
    startedAt: createdAt,
    endedAt: state.resolvedAtMs,
  }));
  // an event without an alert: of that nobody was told
  const missed = [...troubles.values()].filter(({ id }) => !alerted.has(id));
  const unmade = missed.map(({ id, startedAt, endedAt }) => ({ alertId: id, startedAt, endedAt }));
  for (const episode of [...episodes, ...unmade])
    for (const channel of ALERT_CHANNELS) recorder.add('episode', { channel, ...episode });
}
