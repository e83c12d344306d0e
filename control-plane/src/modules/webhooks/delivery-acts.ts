import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../audit-log/store.js';
import { ApiError, fieldError, limitReached } from '../../http/errors.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import type { Account } from '../../http/route.js';
import type { KeptResponses } from '../../limits/kept-responses.js';
import { lockOwner } from '../../owners/index.js';
import { Slices } from '../../runtime/slices.js';
import { responseBytes, withoutBody } from './deliveries/attempt.js';
import {
  type DeliveryFilter,
  findDelivery,
  findLastRecovery,
  insertDeliveries,
  insertEnded,
  type KnownDelivery,
  type ListedDelivery,
  listDeliveries,
  listMissed,
  makeDue,
  type NewDelivery,
} from './deliveries/delivery-store.js';
import { insertEvents } from './deliveries/event-store.js';
import type { WebhookAct } from './endpoint-acts.js';
import { type EndpointRow, findEndpoint, lockEndpoint } from './endpoints/endpoint-store.js';
import { type WebhookKindName, webhookKinds } from './kinds/index.js';
import { checkedData } from './kinds/payload.js';
import { testData } from './kinds/webhook-test.js';
import type { Attempts } from './sending/attempts.js';

const DAY_MS = 86_400_000;
/** Age of the oldest events that are recovered; deliveries are kept that long. */
const RECOVERED_DAYS = 30;
/** Greatest number of events in one recovery, and the time between two of them. */
const MAX_RECOVERED = 10_000;
const RECOVERY_GAP_MS = 20;
/** Events that an account may recover in a day: one may be recovered again once it was delivered. */
const RECOVERED_PER_DAY = 100_000;
/** Steps of a delivery that is made, as `Slices` counts them. */
const STEPS_PER_DELIVERY = 5;

interface DeliveryActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly limiter: Pick<RateLimiter, 'consume'>;
  readonly kept: Pick<KeptResponses, 'keeps'>;
  /** Called when deliveries were committed. */
  readonly onDue: () => void;
}

/** Period whose events are recovered. */
export interface Recovery {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** True to include events that were delivered. */
  readonly isAll: boolean;
}

/** Reads deliveries, and sends them again. */
export class DeliveryActs {
  constructor(private readonly options: DeliveryActsOptions) {}

  /** Deliveries of an endpoint, newest first. @throws ApiError NOT_FOUND */
  async list(
    endpointId: string,
    { owner }: Account,
    page: { readonly filter: DeliveryFilter; readonly afterId: string | null; readonly limit: number },
  ): Promise<ListedDelivery[]> {
    const { db } = this.options;
    if ((await findEndpoint(db, endpointId, owner)) === null) throw new ApiError('NOT_FOUND');
    return listDeliveries(db, { endpointId, owner }, page);
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<KnownDelivery> {
    const delivery = await findDelivery(this.options.db, id, owner);
    if (delivery === null) throw new ApiError('NOT_FOUND');
    return delivery;
  }

  /** Sends an event of a delivery again, as a new delivery. @throws ApiError NOT_FOUND, CONFLICT if its endpoint is not active */
  async redeliver(id: string, act: WebhookAct): Promise<KnownDelivery> {
    const { db, onDue } = this.options;
    const { owner } = act.account;
    const created = await db.transaction(async (trx) => {
      const before = await findDelivery(trx, id, owner);
      if (before === null) throw new ApiError('NOT_FOUND');
      const endpoint = await this.#lockActive(trx, before.endpoint_id, act.account);
      const { event_id: eventId, kind, subject, sequence } = before;
      const event = { id: eventId, kind, subject, sequence: Number(sequence) };
      const [newest] = await this.#repeat(trx, endpoint, [{ event, redeliveryOf: id }]);
      await insertAuditEntry(trx, {
        actor: act.actor,
        accountId: owner.id,
        action: 'webhook.redelivered',
        subject: endpoint.id,
        details: { delivery: id },
      });
      return newest ?? id;
    });
    onDue();
    return this.get(created, act.account);
  }

  /**
   * Sends events again that an endpoint has missed. @returns their number
   * @throws ApiError NOT_FOUND, CONFLICT if it is not active, VALIDATION_FAILED if there are too many, RATE_LIMIT_EXCEEDED for too many of
   * the account in a day
   */
  async recover(endpointId: string, recovery: Recovery, act: WebhookAct): Promise<number> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    if (nowMs - recovery.sinceMs > RECOVERED_DAYS * DAY_MS)
      throw new ApiError('VALIDATION_FAILED', {
        status: 422,
        details: { since: [{ code: 'range', message: `must be at most ${RECOVERED_DAYS} days ago` }] },
      });
    const count = await db.transaction(async (trx) => {
      // two recoveries of an account at once would each begin now
      await lockOwner(trx, act.account.owner);
      const endpoint = await this.#lockActive(trx, endpointId, act.account);
      const scope = { endpointId, ownerId: endpoint.owner_id };
      const missed = await listMissed(trx, scope, { ...recovery, limit: MAX_RECOVERED + 1 });
      if (missed.length > MAX_RECOVERED) throw tooMany();
      await this.#countRecovered(endpoint.owner_id, missed.length);
      const repeated = missed.map(({ event_id: id, kind, subject, sequence, last_id: redeliveryOf }) => ({
        event: { id, kind, subject, sequence: Number(sequence) },
        redeliveryOf,
      }));
      const last = await findLastRecovery(trx, endpoint.owner_id);
      // all recoveries of an account together keep the rate of one: its endpoints may all be of one server
      await this.#repeat(trx, endpoint, repeated, Math.max(nowMs, (last?.getTime() ?? 0) + RECOVERY_GAP_MS));
      await insertAuditEntry(trx, {
        actor: act.actor,
        accountId: endpoint.owner_id,
        action: 'webhook.recovered',
        subject: endpointId,
        details: { count: missed.length },
      });
      return missed.length;
    });
    onDue();
    return count;
  }

  /** Sends one event with example data now and waits for the response, whatever the status of the endpoint. @throws ApiError NOT_FOUND */
  async test(endpointId: string, kind: WebhookKindName, act: WebhookAct): Promise<KnownDelivery> {
    const { db, clock, attempts, kept } = this.options;
    const { owner } = act.account;
    const endpoint = await findEndpoint(db, endpointId, owner);
    if (endpoint === null) throw new ApiError('NOT_FOUND');
    const at = new Date(clock.now());
    const event = {
      id: newId(idPrefixes.event, at.getTime()),
      kind,
      sequence: 0,
      isTest: true,
      at,
      data: checkedData(kind, kind === 'webhook.test' ? testData(endpoint) : webhookKinds[kind].example),
    };
    const { payload, owner_id: ownerId } = endpoint;
    const { attempt: made, outcome } = await attempts.make({ receiver: endpoint, event, payload, attempt: 1 });
    const attempt = (await kept.keeps(ownerId, responseBytes(made))) ? made : withoutBody(made);
    const id = newId(idPrefixes.webhookDelivery, at.getTime());
    const status = outcome.status === 'delivered' ? ('delivered' as const) : ('failed' as const);
    const subject = endpointId;
    await db.transaction(async (trx) => {
      // deleted meanwhile, perhaps with its account: nothing may be stored for it
      if ((await lockEndpoint(trx, endpointId, owner)) === null) throw new ApiError('NOT_FOUND');
      await insertEvents(trx, [{ ...event, subject, ownerId }]);
      await insertEnded(trx, { id, ownerId, endpointId, event: { ...event, subject }, payload, status, attempt, at });
    });
    return this.get(id, act.account);
  }

  /** @throws ApiError RATE_LIMIT_EXCEEDED */
  async #countRecovered(ownerId: string, count: number): Promise<void> {
    if (count === 0) return;
    const limit = { key: `webhooks-recovered:${ownerId}`, limit: RECOVERED_PER_DAY, windowMs: DAY_MS };
    const allowance = await this.options.limiter.consume(limit, count);
    if (!allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
  }

  async #lockActive(trx: Knex, endpointId: string, { owner }: Account): Promise<EndpointRow> {
    const endpoint = await lockEndpoint(trx, endpointId, owner);
    if (endpoint === null) throw new ApiError('NOT_FOUND');
    if (endpoint.status !== 'active') {
      const message = `the endpoint is ${endpoint.status}: enable it with {"status": "active"} first`;
      throw new ApiError('CONFLICT', { details: { status: [{ code: 'conflict', message }] } });
    }
    return endpoint;
  }

  /** Stores new deliveries of events, spread over time from `fromMs` on. @returns their ids */
  async #repeat(
    trx: Knex,
    endpoint: EndpointRow,
    repeated: readonly {
      readonly event: {
        readonly id: string;
        readonly kind: WebhookKindName;
        readonly subject: string;
        readonly sequence: number;
      };
      readonly redeliveryOf: string;
    }[],
    fromMs: number = this.options.clock.now(),
  ): Promise<string[]> {
    const nowMs = this.options.clock.now();
    const at = new Date(nowMs);
    const slices = new Slices();
    const deliveries: NewDelivery[] = [];
    for (const [index, { event, redeliveryOf }] of repeated.entries()) {
      await slices.spend(STEPS_PER_DELIVERY);
      deliveries.push({
        id: newId(idPrefixes.webhookDelivery, nowMs),
        ownerId: endpoint.owner_id,
        endpointId: endpoint.id,
        event,
        payload: endpoint.payload,
        status: 'pending',
        lane: 'recovery',
        dueAt: new Date(fromMs + index * RECOVERY_GAP_MS),
        redeliveryOf,
        at,
      });
    }
    await insertDeliveries(trx, deliveries);
    if (deliveries.length > 0) await makeDue(trx, [endpoint.id], at);
    return deliveries.map(({ id }) => id);
  }
}

function tooMany(): ApiError {
  const message = `selects more than ${MAX_RECOVERED} events: choose a shorter period`;
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { since: [{ code: 'refused', message }] } });
}

/** Checks that a recovery has a length. @throws ApiError VALIDATION_FAILED */
export function checkRecovery({ sinceMs, untilMs }: Recovery): void {
  if (sinceMs >= untilMs) throw fieldError('since', 'range', 'must be before "until"');
}
