import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { commandLine } from '../../src/audit-log/actor.js';
import { ensurePartitions, partitionedTables } from '../../src/db/partitions.js';
import { Outbound } from '../../src/deliver/index.js';
import { Consumers, type EventKind, eventKinds, type PayloadOf, publish } from '../../src/events/index.js';
import { KeptResponses } from '../../src/limits/kept-responses.js';
import type { Letter } from '../../src/mail/index.js';
import { DeliveryActs } from '../../src/modules/webhooks/delivery-acts.js';
import { EndpointActs } from '../../src/modules/webhooks/endpoint-acts.js';
import { EndpointSeals } from '../../src/modules/webhooks/endpoints/endpoint-seals.js';
import type { EndpointCreate } from '../../src/modules/webhooks/endpoints/schema.js';
import { Attempts } from '../../src/modules/webhooks/sending/attempts.js';
import { Marking } from '../../src/modules/webhooks/sending/marking.js';
import { webhookRelay } from '../../src/modules/webhooks/sending/relay.js';
import { Sender } from '../../src/modules/webhooks/sending/sender.js';
import { createReusedDatabase, createTestDatabase, type TestDatabase } from './database.js';
import { generousLimiter } from './generous-limiter.js';
import { collectLog, type LogLine } from './log-lines.js';
import { accountOf, insertUsers } from './owners.js';

/** Tables whose rows are of days. */
const tables = partitionedTables.filter(({ name }) => name.startsWith('webhook_'));

/** Parts of one replica that a test may replace. */
interface ReplicaParts {
  readonly attempts?: Pick<Attempts, 'make'>;
  readonly marking?: Pick<Marking, 'write'>;
  readonly clock?: Clock;
}

type Resolve = NonNullable<ConstructorParameters<typeof Outbound>[0]['resolve']>;

/** Webhooks of one user on a database of their own, with a clock that the test moves, and replicas that run on request. */
export class WebhookWorld {
  readonly clock = new FakeClock(Date.now(), { rounds: [] });
  readonly letters: Letter[] = [];
  /** Key of a limit of which nothing is left; null if every limit grants everything. */
  usedUp: string | null = null;
  readonly userId = newId(idPrefixes.user);
  readonly seals = new EndpointSeals(Buffer.alloc(32, 7));
  readonly attempts: Attempts;
  readonly marking: Marking;
  readonly endpoints: EndpointActs;
  readonly deliveries: DeliveryActs;
  readonly relay: Consumers;
  readonly #logged = collectLog();
  readonly #senders: Sender[] = [];
  readonly #outbound: Outbound;

  private constructor(
    readonly db: Knex,
    readonly url: string,
    resolve?: Resolve,
  ) {
    const { clock, seals } = this;
    const policy = new TargetPolicy({ allow: ['127.0.0.0/8'], own: [], denied: [] });
    const outbound = new Outbound({
      policy: () => policy,
      userAgent: 'Vantage/test',
      clock,
      // on a busy machine the next request may come after seconds: connections that are closed are closed on purpose
      idleMs: 600_000,
      ...(resolve && { resolve }),
    });
    this.#outbound = outbound;
    this.attempts = new Attempts({ outbound, seals, clock, random: () => 0.5 });
    const mail = { enqueue: async (_: Knex, letter: Letter) => void this.letters.push(letter) };
    const kept = new KeptResponses(generousLimiter);
    this.marking = new Marking({ db, mail, clock, kept });
    this.endpoints = new EndpointActs({ db, clock, seals, outbound });
    this.deliveries = new DeliveryActs({
      db,
      clock,
      attempts: this.attempts,
      limiter: {
        consume: async (limit) => ({ ...(await generousLimiter.consume(limit)), isAllowed: limit.key !== this.usedUp }),
      },
      kept,
      onDue: () => {},
    });
    this.relay = new Consumers({ db, consumers: [this.newRelay()], clock, log: this.#logged.log });
  }

  /** `resolve`: resolver of names; default: that of this machine. */
  static async create(t: Test, resolve?: Resolve): Promise<WebhookWorld> {
    return WebhookWorld.#on(await createTestDatabase(t), t, resolve);
  }

  /** Function that creates the worlds of tests that follow one another, each on what the previous one leaves empty. */
  static async oneAfterAnother(t: Test): Promise<(t: Test) => Promise<WebhookWorld>> {
    const fresh = await createReusedDatabase(t);
    return async (t) => WebhookWorld.#on(await fresh(), t);
  }

  static async #on({ db, url }: TestDatabase, t: Test, resolve?: Resolve): Promise<WebhookWorld> {
    const world = new WebhookWorld(db, url, resolve);
    const user = {
      id: world.userId,
      email: 'ada@test.example',
      role: 'user',
      email_verified_at: new Date(),
      plan: 'unlimited',
    };
    await insertUsers(db, [user]);
    // announced, it runs when the test says so: a look of its own, when the clock moves, would hold events that settle() misses
    await world.relay.start();
    await world.relay.stop();
    t.teardown(() => world.stop());
    return world;
  }

  /** Lines that all replicas have logged. */
  get log(): readonly LogLine[] {
    return this.#logged.lines;
  }

  get act() {
    return { account: accountOf(this.userId), actor: commandLine };
  }

  newRelay() {
    const { clock } = this;
    return webhookRelay({ publicUrl: 'http://localhost:8080', clock, onDue: () => {}, onSkipped: () => {} });
  }

  /** One more replica, which sends on request. */
  newSender(parts: ReplicaParts = {}, db = this.db): Sender {
    const { attempts = this.attempts, marking = this.marking, clock = this.clock } = parts;
    const sender = new Sender({
      db,
      attempts: attempts as Attempts,
      marking: marking as Marking,
      clock,
      log: this.#logged.log,
      onMarked: () => {},
    });
    sender.start();
    this.#senders.push(sender);
    return sender;
  }

  /** Creates an endpoint; default: for all events. */
  async endpoint(url: string, fields: Partial<EndpointCreate> = {}) {
    const body = { url, events: ['*'], ...fields };
    const { endpoint, secret } = await this.endpoints.create(body, this.act);
    return { id: endpoint.id, secret };
  }

  /** Publishes an event with the payload of its example; `name`: of the monitor; `ownerId`: default the user. */
  async happens<K extends EventKind>(
    kind: K,
    subject: string,
    name = 'Shop',
    trx = this.db,
    ownerId = this.userId,
  ): Promise<void> {
    const payload = structuredClone(eventKinds[kind].shown.eventExample) as {
      monitor?: { name: string; id: string };
    };
    if (payload.monitor !== undefined) Object.assign(payload.monitor, { name, id: subject });
    const event = { kind, ownerId, isTest: false, subject, payload: payload as PayloadOf<K> };
    await publish(trx, event);
  }

  /** Hands all events to endpoints and sends what is due, until nothing is. */
  async settle(sender: Sender = this.#senders[0] ?? this.newSender()): Promise<void> {
    await this.relay.run();
    await sender.run();
    await sender.idle();
  }

  /** Lets hours pass, with the partitions of the days. */
  async pass(hours: number): Promise<void> {
    this.clock.advance(hours * 3_600_000);
    await ensurePartitions(this.db, this.clock.now(), tables);
  }

  /** Rows of deliveries, in the order of their events. */
  rows(): Knex.QueryBuilder {
    return this.db('webhook_deliveries').orderBy('sequence').orderBy('created_at').orderBy('id');
  }

  async stop(): Promise<void> {
    await this.relay.stop();
    for (const sender of this.#senders) await sender.stop();
    await this.#outbound.stop();
  }
}
