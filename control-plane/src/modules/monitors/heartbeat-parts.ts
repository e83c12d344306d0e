import type { Knex } from 'knex';
import type { Static } from 'typebox';
import { fieldError } from '../../http/errors.js';
import type { HeartbeatCreatedSchema, HeartbeatDetailSchema, MonitorChange, MonitorCreate } from './schema.js';
import type { Settings } from './settings.js';

/** When a heartbeat was pinged last, and when it is down unless a ping comes; null: never, or not now. */
export interface HeartbeatTimes {
  readonly lastPingAt: Date | null;
  readonly deadline: Date | null;
}

/** What heartbeats have of their own. Monitors know no more of them. */
export interface HeartbeatParts {
  /**
   * Checks settings and fills in their defaults; with them, in seconds, the least that may be between two expected pings.
   * @throws ApiError VALIDATION_FAILED
   */
  parse(given: Settings): { readonly config: Settings; readonly intervalSeconds: number };
  /** A token nobody had before, and what of it may be shown ever after. */
  makeToken(): { readonly token: string; readonly shown: string };
  /** Stores the heartbeat of a monitor that was just made. */
  insert(trx: Knex, monitorId: string, token: string): Promise<void>;
  /** Counts from now on by the monitor's new settings. */
  reschedule(trx: Knex, monitorId: string): Promise<void>;
  /** Locks a heartbeat and expects nothing any more. Comes before other rows of its monitor are locked, as in judgments. */
  suspend(trx: Knex, monitorId: string): Promise<void>;
  /** Begins anew: expects the next ping from now on. */
  resume(trx: Knex, monitorId: string): Promise<void>;
  readTimes(db: Knex, monitorIds: readonly string[]): Promise<ReadonlyMap<string, HeartbeatTimes>>;
  /** With the token. */
  readCreated(db: Knex, monitorId: string): Promise<Static<typeof HeartbeatCreatedSchema>>;
  readDetail(db: Knex, monitorId: string): Promise<Static<typeof HeartbeatDetailSchema>>;
}

const ofNodes = ['assertions', 'node_selection', 'nodes', 'node_count', 'trigger_rule'] as const;
const derived = ['target', 'interval_s', 'interval_sec'] as const;

/** @throws ApiError VALIDATION_FAILED for what only monitors have that nodes check */
export function refuseNodeFields(body: Partial<MonitorCreate>): void {
  const given = ofNodes.find((name) => body[name] !== undefined);
  if (given !== undefined)
    throw fieldError(given, 'not_supported', 'is nothing that a heartbeat has: no node checks it');
}

/** @throws ApiError VALIDATION_FAILED for what follows from the token and the settings */
export function refuseDerivedFields(body: MonitorChange): void {
  const given = derived.find((name) => body[name] !== undefined);
  if (given !== undefined)
    throw fieldError(
      given,
      'not_supported',
      'follows from the token or the config of a heartbeat and cannot be changed',
    );
}
