import type { Clock } from '@vantage/shared/clock.js';
import { makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { Slices } from '../../../runtime/slices.js';
import type { BadgeAddresses } from '../definition/badge-addresses.js';
import type { HeartbeatCreatedSchema, HeartbeatDetailSchema } from '../definition/schema.js';
import type { Settings } from '../definition/settings.js';
import { lockMonitor, type MonitorRow } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { parseHeartbeatConfig, ruleOf } from './heartbeat-config.js';
import {
  type HeartbeatState,
  type Rule,
  type ShownState,
  shownState,
  stopped,
  waitingFrom,
} from './heartbeat-state.js';
import { listPings, type PingsPage, type StoredPing } from './ping-store.js';
import {
  findHeartbeat,
  type HeartbeatRow,
  insertHeartbeat,
  lockHeartbeats,
  readHeartbeats,
  type StoredToken,
  updateJudged,
  updateToken,
} from './store.js';
import { dueAt, judged, judgingSteps, stateOf, toColumns } from './stored-state.js';

/** Part of a token that `target` shows. API specification 2.2. */
const SHOWN_LENGTH = 11;
const EXPECTED_SHOWN = 10;

interface HeartbeatActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Base URL at which jobs reach the API, without a final slash. */
  readonly publicUrl: string;
  readonly sealer: Sealer;
  readonly badges: BadgeAddresses;
}

/** Time of the last ping, and time at which a heartbeat is down unless a ping arrives; null if there is none. */
export interface HeartbeatTimes {
  readonly lastPingAt: Date | null;
  readonly deadline: Date | null;
}

/** Creates, schedules and shows heartbeats. */
export class HeartbeatActs {
  constructor(private readonly options: HeartbeatActsOptions) {}

  /**
   * Validates settings and fills in their defaults; `intervalSeconds` is the shortest time between two expected pings.
   * @throws ApiError VALIDATION_FAILED
   */
  parse(given: Settings): { readonly config: Settings; readonly intervalSeconds: number } {
    return parseHeartbeatConfig(given, this.options.clock.now());
  }

  /** A new token, and the part of it that may be shown afterwards. */
  makeToken(): { token: string; shown: string } {
    const { token } = makeToken(tokenPrefixes.heartbeat);
    return { token, shown: token.slice(0, SHOWN_LENGTH) };
  }

  /** Stores the heartbeat of a monitor that was just created. */
  async insert(trx: Knex, monitorId: string, token: string): Promise<void> {
    await insertHeartbeat(trx, { monitorId, token: this.#stored(token) });
  }

  /** Creates a new token for a monitor; the old one becomes invalid. @throws ApiError MONITOR_NOT_FOUND, VALIDATION_FAILED */
  async rotateToken(
    id: string,
    { account, actor }: { readonly account: Account; readonly actor: Actor },
  ): Promise<{ token: string; url: string }> {
    const { token, shown } = this.makeToken();
    const at = new Date(this.options.clock.now());
    await this.options.db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account.owner);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.type !== HEARTBEAT) throw notHeartbeat(monitor.type, 'a token');
      await updateToken(trx, id, { token: this.#stored(token), shown, at });
      const action = 'monitor.token_rotated';
      await insertAuditEntry(trx, { actor, accountId: account.owner.id, action, subject: id });
    });
    return { token, url: this.#urlOf(token) };
  }

  /** Applies the monitor's new settings from now on. */
  reschedule(trx: Knex, monitorId: string): Promise<void> {
    const nowMs = this.options.clock.now();
    return this.#change(trx, [monitorId], (row, rule) => {
      const state = row.is_active ? waitingFrom(stateOf(row), rule, nowMs) : stateOf(row);
      return { state, judgedSeq: row.judged_seq };
    });
  }

  /** Locks heartbeats and expects no further ping. Precedes locks of other rows of their monitors, as in judgments. */
  suspend(trx: Knex, monitorIds: readonly string[]): Promise<void> {
    return this.#change(trx, monitorIds, (row) => ({ state: stopped(stateOf(row)), judgedSeq: row.ping_count }));
  }

  /** Expects the next ping from now on. */
  resume(trx: Knex, monitorIds: readonly string[]): Promise<void> {
    const nowMs = this.options.clock.now();
    return this.#change(trx, monitorIds, (row, rule) => {
      return { state: waitingFrom(stateOf(row), rule, nowMs), judgedSeq: row.ping_count };
    });
  }

  /** Times of these heartbeats by monitor. */
  async readTimes(db: Knex, monitorIds: readonly string[]): Promise<ReadonlyMap<string, HeartbeatTimes>> {
    const rows = await readHeartbeats(db, monitorIds);
    const slices = new Slices();
    const times = new Map<string, HeartbeatTimes>();
    for (const row of rows) {
      await slices.spend(judgingSteps(row));
      times.set(row.monitor_id, this.#timesOf(row));
    }
    return times;
  }

  /** With the token. @throws ApiError MONITOR_NOT_FOUND */
  async readCreated(db: Knex, monitorId: string): Promise<Static<typeof HeartbeatCreatedSchema>> {
    const row = await this.#get(db, monitorId);
    const token = this.#tokenOf(row);
    const badge_url = this.options.badges.urlOf(monitorId);
    return { token, url: this.#urlOf(token), state: this.#look(row).shown, badge_url };
  }

  /** With the token. @throws ApiError MONITOR_NOT_FOUND */
  async readDetail(db: Knex, monitorId: string): Promise<Static<typeof HeartbeatDetailSchema>> {
    const row = await this.#get(db, monitorId);
    return this.#detailOf(row, this.#tokenOf(row));
  }

  /** Reads a heartbeat with the display prefix of the token instead of the token. @throws ApiError MONITOR_NOT_FOUND */
  async readDetailMasked(db: Knex, monitorId: string): Promise<Static<typeof HeartbeatDetailSchema>> {
    const row = await this.#get(db, monitorId);
    return this.#detailOf(row, this.#tokenOf(row).slice(0, SHOWN_LENGTH));
  }

  #detailOf(row: HeartbeatRow, token: string): Static<typeof HeartbeatDetailSchema> {
    const { state, rule, shown } = this.#look(row);
    return {
      url: this.#urlOf(token),
      state: shown,
      last_ping_at: row.last_ping_at?.toISOString() ?? null,
      last_ping_ip: row.last_ping_ip,
      last_ping_via: row.last_ping_via,
      ping_count: row.ping_count,
      next_expected: shown === 'paused' ? [] : nextExpected(state, rule, this.options.clock.now()),
      badge_url: this.options.badges.urlOf(row.monitor_id),
    };
  }

  /** Pings of a monitor, newest first. @throws ApiError VALIDATION_FAILED if it is not a heartbeat */
  async pings({ key, type }: Pick<MonitorRow, 'key' | 'type'>, page: PingsPage): Promise<StoredPing[]> {
    if (type !== HEARTBEAT) throw notHeartbeat(type, 'pings');
    return listPings(this.options.db, key, page);
  }

  /** State in responses; null if there is no such heartbeat. */
  async findState(db: Knex, monitorId: string): Promise<ShownState | null> {
    const row = await findHeartbeat(db, monitorId);
    return row === null ? null : this.#look(row).shown;
  }

  async #change(
    trx: Knex,
    monitorIds: readonly string[],
    change: (row: HeartbeatRow, rule: Rule) => { readonly state: HeartbeatState; readonly judgedSeq: number },
  ): Promise<void> {
    if (monitorIds.length === 0) return;
    const rows = (await lockHeartbeats(trx, monitorIds)).map((row) => {
      const rule = ruleOf(row.config);
      const { state, judgedSeq } = change(row, rule);
      const columns = toColumns(state, rule);
      return { monitor_id: row.monitor_id, ...columns, judged_seq: judgedSeq, due_at: dueAt(columns) };
    });
    await updateJudged(trx, rows);
  }

  #look(row: HeartbeatRow): { state: HeartbeatState; rule: Rule; shown: ShownState } {
    const nowMs = this.options.clock.now();
    const { state, rule } = judged(row, nowMs);
    return { state, rule, shown: shownState(state, row.is_active, nowMs) };
  }

  /** Details as of now, like the state: pings that have not been judged yet count. */
  #timesOf(row: HeartbeatRow): HeartbeatTimes {
    const { state, rule } = this.#look(row);
    return { lastPingAt: row.last_ping_at, deadline: toColumns(state, rule).alert_after };
  }

  async #get(db: Knex, monitorId: string): Promise<HeartbeatRow> {
    const row = await findHeartbeat(db, monitorId);
    // the heartbeat was deleted after the monitor was read
    if (row === null) throw new ApiError('MONITOR_NOT_FOUND');
    return row;
  }

  #stored(token: string): StoredToken {
    const parsed = parseToken(tokenPrefixes.heartbeat, token);
    if (parsed === null) throw new RangeError('a generated token is well-formed');
    return { tokenHash: parsed.secretHash, sealedToken: this.options.sealer.seal(Buffer.from(token)) };
  }

  #tokenOf({ sealed_token }: HeartbeatRow): string {
    return this.options.sealer.open(sealed_token).toString();
  }

  #urlOf(token: string): string {
    return `${this.options.publicUrl}/hb/${token}`;
  }
}

/** Expected times, from the awaited ping on; from now on if that ping is overdue or none is awaited yet. */
function nextExpected({ expectedAtMs }: HeartbeatState, { schedule }: Rule, nowMs: number): string[] {
  const times =
    expectedAtMs === null || expectedAtMs < nowMs
      ? schedule.nextExpected(nowMs, EXPECTED_SHOWN)
      : [expectedAtMs, ...schedule.nextExpected(expectedAtMs, EXPECTED_SHOWN - 1)];
  return times.map((ms) => new Date(ms).toISOString());
}

function notHeartbeat(type: string, thing: string): ApiError {
  const message = `is "${type}" and must be "heartbeat": no other monitor has ${thing}`;
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { type: [{ code: 'not_supported', message }] } });
}
