import { Rounds } from 'vantage-control/runtime/rounds.js';
import { type AttemptEnd, claimMessages, isNeeded, recordAttempt, relayNews } from './database/alerts-model.js';
import type { DatabaseServer } from './database/server.js';
import type { MessageRow } from './database/tables.js';
import type { Mutations } from './mutations.js';
import type { SimulatedProcess } from './process.js';
import type { Receivers } from './receivers.js';

const LOOK_MS = 1_000;

interface AlertParts {
  readonly process: SimulatedProcess;
  readonly replicaId: string;
  readonly database: DatabaseServer;
  readonly receivers: Receivers;
  readonly mutations: Mutations;
}

/**
 * Model of the relay and the sender of one replica: the same transactions in the same order, with the product's decisions. The process
 * can die between any two of them.
 */
export class SimulatedAlerts {
  readonly #rounds: Rounds;
  readonly #inFlight = new Set<Promise<void>>();
  #claims = 0;
  #stop: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });

  constructor(private readonly parts: AlertParts) {
    const { clock } = parts.process;
    this.#rounds = new Rounds({
      name: 'alerts',
      everyMs: LOOK_MS,
      turn: () => this.#turn(),
      onFailed: () => undefined,
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Gives up messages in flight, and records that. */
  async stop(): Promise<void> {
    this.#stop();
    await this.#rounds.stop();
    await Promise.all(this.#inFlight);
  }

  async #turn(): Promise<void> {
    const { database, process, replicaId, mutations } = this.parts;
    // in most runs nothing ever breaks that people are told of
    if (database.tables.troubles.size === 0) return;
    await database.run(process, (tables, nowMs) => relayNews(tables, nowMs, mutations));
    for (;;) {
      this.#claims += 1;
      const lease = `${replicaId} ${this.#claims}`;
      const nowMs = process.clock.now();
      const claimed = await database.run(process, (tables) => claimMessages(tables, { lease, nowMs }, mutations));
      if (claimed.length === 0) return;
      for (const row of claimed) this.#begin(row, lease);
      if (!mutations.leasesChannels) return;
    }
  }

  #begin(row: MessageRow, lease: string): void {
    // what cannot be recorded is sent again when the lease has run out
    const work = this.#handle(row, lease).catch(() => undefined);
    this.#inFlight.add(work);
    void work.then(() => {
      this.#inFlight.delete(work);
      this.#rounds.look();
    });
  }

  async #handle(row: MessageRow, lease: string): Promise<void> {
    const { database, process, receivers, mutations } = this.parts;
    const record = (end: AttemptEnd) => {
      const [nowMs, random] = [process.clock.now(), 0.5];
      return database.run(process, (tables) => recordAttempt(tables, row, { lease, end, nowMs, random }));
    };
    if (!(await database.run(process, (tables) => isNeeded(tables, row)))) return record('dropped');
    if (mutations.marksFirst) {
      await record('accepted');
      await receivers.post(process, row);
      return;
    }
    const givenUp = this.#stopped.then(() => 'given-up' as const);
    await record(await Promise.race([receivers.post(process, row), givenUp]));
  }
}
