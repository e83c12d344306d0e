import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../seeded-random.js';
import type { AlertReceivers } from './alert-receivers.js';
import { wordsOf } from './api.js';
import type { Recorder } from './recorder.js';
import type { Targets } from './targets.js';
import type { World } from './world.js';

/** Times for which the target that breaks is well, and is broken, in milliseconds: a check comes every ten seconds. */
const WELL_MS = { least: 25_000, most: 40_000 };
const BROKEN_MS = { least: 20_000, most: 35_000 };
const NAME = 'breaks';

const ALERTS = `SELECT a.id, a.created_at, a.resolved_at FROM alerts a WHERE a.monitor_name = '${NAME}'`;
/** Events of trouble for which no alert was made; those that late checks created afterwards are reported to no one. */
const WITHOUT_ALERT = `SELECT e.id, e.started_at, e.ended_at FROM monitor_events e JOIN monitors m ON m.id = e.monitor_id
  WHERE m.name = '${NAME}' AND e.was_told AND NOT EXISTS (SELECT FROM alerts a WHERE a.state ->> 'monitorEventId' = e.id)`;
const DELIVERIES = 'SELECT id, channel_name, alert_ids FROM alert_deliveries';
/** SQL that is true while anyone is still to be notified. */
export const ALERTS_WAIT = `EXISTS (SELECT FROM alerts WHERE status <> 'resolved')
    OR EXISTS (SELECT FROM alert_deliveries WHERE finished_at IS NULL)`;

/** A target that breaks now and then, and everyone who is notified of it. */
export class Alerting {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly parts: {
      readonly world: World;
      readonly targets: Targets;
      readonly receivers: AlertReceivers;
      readonly random: SeededRandom;
    },
  ) {}

  /** Creates the monitor, with a policy that notifies every receiver. @throws Error if the API refuses it */
  async prepare(): Promise<void> {
    const { world, targets, receivers } = this.parts;
    world.secrets.push(...receivers.secrets);
    const channels: object[] = [];
    for (const body of receivers.channels)
      channels.push({
        channel_id: await this.#create('/v1/alert-channels', { ...body, use: 'none' }),
        type: body.type,
      });
    const policy = await this.#create('/v1/alert-policies', { name: NAME, rules: [{ channels }] });
    await this.#create('/v1/monitors', {
      name: NAME,
      type: 'http',
      target: targets.breaking,
      interval_s: 10,
      node_count: world.agents.length,
      trigger_rule: { consecutive_fail: 1, consecutive_ok: 1 },
      alert_policy_id: policy,
    });
  }

  /** Breaks the target and mends it until stopped. */
  start(): void {
    this.#turn(false);
  }

  /** Mends the target and the receivers, for good. */
  mend(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.parts.targets.setBroken(false);
    this.parts.receivers.isMended = true;
  }

  /** Writes down what was to be sent, and what was taken. */
  async read(end: Recorder): Promise<void> {
    const { database } = this.parts.world;
    const names = this.parts.receivers.channels.map(({ name }) => name);
    const episodes = [...(await database.query(ALERTS)), ...(await database.query(WITHOUT_ALERT))];
    for (const row of episodes) {
      const startedAt = ((row['created_at'] ?? row['started_at']) as Date).getTime();
      const endedAt = ((row['resolved_at'] ?? row['ended_at'] ?? null) as Date | null)?.getTime() ?? null;
      for (const channel of names) end.record('episode', { channel, alertId: String(row['id']), startedAt, endedAt });
    }
    const deliveries = await database.query(DELIVERIES);
    const alertIds = new Map(deliveries.map((row) => [String(row['id']), row['alert_ids'] as string[]]));
    for (const { channel, key, about, isAccepted, at } of this.parts.receivers.taken)
      for (const alertId of alertIds.get(key) ?? [`the unknown message ${key}`])
        end.record('message-taken', { channel, alertId, key, about, isAccepted }, at);
  }

  #turn(isBroken: boolean): void {
    const { targets, random } = this.parts;
    targets.setBroken(isBroken);
    const { least, most } = isBroken ? BROKEN_MS : WELL_MS;
    this.#timer = setTimeout(() => this.#turn(!isBroken), random.integer(least, most));
  }

  async #create(path: string, body: object): Promise<string> {
    // the key: asked again after a lost response, it is answered as the first time
    const answer = await this.parts.world.ask({ method: 'POST', path, body, idempotencyKey: randomUUID() });
    if (answer?.status !== 201) throw new Error(`${path}: ${wordsOf(answer)}`);
    return (answer.data as { id: string }).id;
  }
}
