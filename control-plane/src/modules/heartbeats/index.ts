import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Mail } from '../../mail/index.js';
import type { Rounds } from '../../rounds.js';
import { createSealer } from '../../sealing.js';
import { type CountEvent, mailOwner, maintenanceReads } from '../monitors/index.js';
import { CheckIns } from './check-ins.js';
import { HeartbeatActs } from './heartbeat-acts.js';
import { HeartbeatJudging } from './heartbeat-judging.js';
import { heartbeatWatch } from './heartbeat-watch.js';

interface HeartbeatsOptions {
  readonly db: Knex;
  /** For what runs in the background. */
  readonly watchDb: Knex;
  readonly mail: Pick<Mail, 'enqueue'>;
  readonly countEvent: CountEvent;
  readonly publicUrl: string;
  /** Of the installation, 32 bytes: seals tokens. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What monitors know of heartbeats. */
export function openHeartbeatActs({
  secretKey,
  ...own
}: Pick<HeartbeatsOptions, 'db' | 'clock' | 'publicUrl' | 'secretKey'>): HeartbeatActs {
  return new HeartbeatActs({ ...own, sealer: createSealer(secretKey, 'heartbeat tokens') });
}

/** Monitors that wait for pings of jobs. */
export class Heartbeats {
  readonly acts: HeartbeatActs;
  readonly checkIns: CheckIns;
  readonly #watch: Rounds;

  constructor({ db, watchDb, mail, countEvent, publicUrl, secretKey, clock, log }: HeartbeatsOptions) {
    const judging = new HeartbeatJudging({ maintenance: maintenanceReads.now, notify: mailOwner(mail), countEvent });
    this.#watch = heartbeatWatch({ db: watchDb, judging, clock, log });
    this.acts = openHeartbeatActs({ db, clock, publicUrl, secretKey });
    this.checkIns = new CheckIns({ db, clock, log, onStored: () => this.#watch.look() });
  }

  /** Begins to notice deadlines. */
  start(): void {
    this.#watch.start();
  }

  /** Stores what is held back, and stops noticing. May be called twice. */
  async stop(): Promise<void> {
    await this.checkIns.stop();
    await this.#watch.stop();
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly heartbeats: Heartbeats;
  }
}
