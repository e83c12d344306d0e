import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import { Registry } from 'prom-client';
import type { Test } from 'tap';
import { program } from '../../src/audit-log/actor.js';
import { Outbound } from '../../src/deliver/index.js';
import type { DirectMail } from '../../src/mail/index.js';
import type { ChannelRow } from '../../src/modules/alerts/channels/channel-row.js';
import type { Destination } from '../../src/modules/alerts/deliveries/destination.js';
import { alwaysNeeded, type Needed } from '../../src/modules/alerts/deliveries/needed.js';
import { type AlertParts, openAlerts } from '../../src/modules/alerts/open-alerts.js';
import { noAlerts } from '../../src/modules/alerts/policies/look-again.js';
import type { Message, MessageKind } from '../../src/modules/alerts/types/message.js';
import type { ChannelTypeName } from '../../src/modules/alerts/types/registry.js';
import type { ChannelSettings } from '../../src/modules/alerts/types/settings.js';
import { defaultPlans, type PlanName } from '../../src/plans/index.js';
import { noSettings } from './channel-attempts.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { generousLimiter } from './generous-limiter.js';
import { collectLog, type LogLine } from './log-lines.js';
import { accountOf, insertUsers } from './owners.js';
import { type Duration, World } from './world.js';

const policy = new TargetPolicy({ allow: ['127.0.0.1/32', '127.0.0.4/32'], own: [], denied: [] });

/** A replica that sends messages. */
export interface AlertReplica extends AlertParts {
  readonly clock: FakeClock;
  readonly log: readonly LogLine[];
  readonly registry: Registry;
}

/** Channels and deliveries on a real database, with clocks that stand still and no server. */
export interface AlertPost extends AlertReplica {
  readonly database: TestDatabase;
  readonly db: Knex;
  readonly userId: string;
  /** Mails that were handed to the transport. */
  readonly mails: DirectMail[];
  /** One more replica. */
  replica(clock?: FakeClock, needed?: Needed): AlertReplica;
  /** Creates a channel of the user. */
  addChannel(name: string, type: ChannelTypeName, config: object, fields?: object): Promise<ChannelRow>;
  /** Queues a message to channels; `kind`: default `notice`. @returns ids of the deliveries */
  post(
    channels: readonly ChannelRow[],
    message?: { kind?: MessageKind; title?: string; thread?: string; group?: string },
  ): Promise<string[]>;
  /** Resolves when no replica with this clock has a message in flight. */
  idle(): Promise<unknown>;
  /** Lets time pass, and all that is due be sent. */
  pass(duration: Duration): Promise<void>;
  /** Lets all that is due be sent. */
  quiet(): Promise<void>;
  delivery(id: string): Promise<Record<string, unknown>>;
}

export interface PostOptions {
  readonly needed?: Needed;
  readonly starts?: boolean;
  readonly settings?: ChannelSettings;
  readonly plan?: PlanName;
  /** Default: a database of its own. */
  readonly database?: TestDatabase;
  /** Resolver of names; default: that of this machine. */
  readonly resolve?: ConstructorParameters<typeof Outbound>[0]['resolve'];
}

export async function openAlertPost(t: Test, options: PostOptions = {}): Promise<AlertPost> {
  const database = options.database ?? (await createTestDatabase(t));
  const { db } = database;
  const { needed = alwaysNeeded, starts = true, settings = noSettings, plan = 'unlimited', resolve } = options;
  const clock = new FakeClock(Date.now());
  const mails: DirectMail[] = [];
  const senders: AlertParts['sender'][] = [];
  const userId = newId(idPrefixes.user);
  await insertUsers(db, [
    { id: userId, plan, email: 'owner@test.example', role: 'user', email_verified_at: new Date() },
  ]);
  const replica = (own: FakeClock, ownNeeded: Needed): AlertReplica => {
    const { log, lines } = collectLog();
    const registry = new Registry();
    const parts = openAlerts(
      {
        config: { ...settings, plans: defaultPlans },
        db,
        agentsDb: db,
        clock: own,
        log,
        secretKey: Buffer.alloc(32, 7),
        publicUrl: 'https://vantage.example',
        outbound: new Outbound({
          policy: () => policy,
          userAgent: 'Vantage/test',
          clock: own,
          ...(resolve && { resolve }),
        }),
        mail: { enqueue: async () => {} } as never,
        mailer: {
          async sendAtOnce(mail) {
            mails.push(mail);
            return `<${mail.key}@test.example>`;
          },
        },
        limiter: generousLimiter,
        registry: registry as never,
      },
      { needed: ownNeeded, lookAgain: noAlerts },
    );
    t.teardown(() => parts.sender.stop());
    if (own === clock) senders.push(parts.sender);
    return { ...parts, clock: own, log: lines, registry };
  };
  const first = replica(clock, needed);
  if (starts) first.sender.start();
  const act = { account: accountOf(userId), actor: program };
  const idle = () => Promise.all(senders.map((sender) => sender.idle()));
  const world = new World({ db, clock, idle });
  return {
    ...first,
    idle,
    database,
    db,
    userId,
    mails,
    replica: (own = clock, ownNeeded = needed) => replica(own, ownNeeded),
    async addChannel(name, type, config, fields = {}) {
      return (await first.alerts.channels.create({ name, type: type as never, config: { ...config }, ...fields }, act))
        .row;
    },
    async post(channels, { kind = 'notice', title = 'Shop is down', thread, group } = {}) {
      const reader = first.destinations;
      const found = await reader.read(
        db,
        channels.map(({ id }) => id),
      );
      const messageGroup = group ?? newId(idPrefixes.event);
      const rows = await db.transaction((trx) =>
        first.outgoing.enqueue(
          trx,
          channels.map(({ id: channelId }) => ({
            destination: found.get(channelId) as Destination,
            messageGroup,
            kind,
            alertIds: ['alert-1'],
            alertCount: 1,
            write: ({ id, locale }) => aMessage({ id, locale, kind, title, thread: thread ?? id, atMs: clock.now() }),
          })),
        ),
      );
      return rows.map(({ id }) => id);
    },
    pass: (duration) => world.pass(duration),
    quiet: () => world.settle(),
    delivery: (id) => db('alert_deliveries').where({ id }).first(),
  };
}

/** A message with the least that it needs. */
export function aMessage(fields: Partial<Message> & Pick<Message, 'id'>): Message {
  return {
    thread: fields.id,
    kind: 'notice',
    severity: 'critical',
    locale: 'en',
    title: 'Shop is down',
    facts: [{ label: 'Since', value: '2026-01-01 12:00 UTC' }],
    items: [],
    note: null,
    links: [{ label: 'Acknowledge', url: 'https://vantage.example/a/geheim-link-4' }],
    customText: null,
    source: 'Shop',
    atMs: 0,
    payload: { id: fields.id, type: 'alert.firing' },
    ...fields,
  };
}
