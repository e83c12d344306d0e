import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createSealer } from '../../../crypto/sealing.js';
import type { Rounds } from '../../../runtime/background.js';
import { BadgeAddresses } from '../definition/badge-addresses.js';
import type { CountEvent } from '../definition/monitor-counts.js';
import { maintenanceReads } from '../maintenance/maintenance-reads.js';
import { CheckIns } from './check-ins.js';
import { HeartbeatActs } from './heartbeat-acts.js';
import { HeartbeatJudging } from './heartbeat-judging.js';
import { heartbeatWatch } from './heartbeat-watch.js';

interface HeartbeatsOptions {
  readonly db: Knex;
  /** Database connections for background work. */
  readonly watchDb: Knex;
  readonly countEvent: CountEvent;
  readonly publicUrl: string;
  /** Secret key of the installation, 32 bytes, which seals tokens. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Creates the part of heartbeats that needs no background work. */
export function openHeartbeatActs({
  secretKey,
  ...own
}: Pick<HeartbeatsOptions, 'db' | 'clock' | 'publicUrl' | 'secretKey'>): HeartbeatActs {
  const badges = new BadgeAddresses(secretKey, own.publicUrl);
  return new HeartbeatActs({ ...own, sealer: createSealer(secretKey, 'heartbeat tokens'), badges });
}

/** Monitors that wait for pings of jobs. */
export class Heartbeats {
  readonly acts: HeartbeatActs;
  readonly checkIns: CheckIns;
  readonly #watch: Rounds;

  constructor({ db, watchDb, countEvent, publicUrl, secretKey, clock, log }: HeartbeatsOptions) {
    const judging = new HeartbeatJudging({ maintenance: maintenanceReads.now, countEvent });
    this.#watch = heartbeatWatch({ db: watchDb, judging, clock, log });
    this.acts = openHeartbeatActs({ db, clock, publicUrl, secretKey });
    this.checkIns = new CheckIns({ db, clock, log, onStored: () => this.#watch.look() });
  }

  /** Starts to watch deadlines. */
  start(): void {
    this.#watch.start();
  }

  /** Stores the pings that are held back, and stops watching deadlines. May be called twice. */
  async stop(): Promise<void> {
    await this.checkIns.stop();
    await this.#watch.stop();
  }
}
