import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { program } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { KeptResponses } from '../../../limits/kept-responses.js';
import type { Mail } from '../../../mail/index.js';
import { findRecipient } from '../../accounts/index.js';
import { responseBytes, withoutBody } from '../deliveries/attempt.js';
import { skipPending } from '../deliveries/delivery-store.js';
import type { ClaimedDelivery } from './claim-store.js';
import { afterAttempt, type Consequence, type Health } from './health.js';
import {
  disableEndpoint,
  type LockedHealth,
  lockEndpoints,
  lockHealth,
  type Mark,
  markAttempts,
  updateHealth,
} from './mark-store.js';
import type { Result } from './outcome.js';

/** Delivery with the result of an attempt. */
export interface Sent {
  readonly delivery: ClaimedDelivery;
  readonly result: Result;
  readonly endedAtMs: number;
}

/** Ends of attempts that were written. */
interface Written {
  /** Those whose lease was held; the others are sent by another replica. */
  readonly written: readonly Sent[];
  /** Endpoints that were not active, or deleted. */
  readonly inactive: readonly string[];
}

interface MarkingOptions {
  readonly db: Knex;
  readonly mail: Pick<Mail, 'enqueue'>;
  readonly clock: Clock;
  readonly kept: Pick<KeptResponses, 'keeps'>;
}

/** Writes the results of attempts, and what they mean for their endpoints, in one transaction. */
export class Marking {
  constructor(private readonly options: MarkingOptions) {}

  /** `isLow`: false of an endpoint of which this replica holds enough to be sent, so that it needs no claim yet. */
  async write(sent: readonly Sent[], isLow: (endpointId: string) => boolean): Promise<Written> {
    const { db, clock } = this.options;
    const tooMuch = await this.#ownersOverLimit(sent);
    const nowMs = clock.now();
    return db.transaction(async (trx) => {
      // a failure may disable its endpoint or leave a retry: its status must not change meanwhile
      const failed = sent.filter(({ result }) => result.outcome.status !== 'delivered');
      await lockEndpoints(
        trx,
        failed.map(({ delivery }) => delivery.endpoint_id),
      );
      // a separate statement: it must see the status as the lock found it
      const locked = await lockHealth(
        trx,
        sent.map(({ delivery }) => delivery.endpoint_id),
      );
      const endpoints = new Map(locked.map((endpoint) => [endpoint.endpointId, endpoint]));
      const held = await markAttempts(
        trx,
        sent.map((one) => {
          const shown = tooMuch.has(one.delivery.owner_id) ? withoutResponse(one) : one;
          return markOf(shown, endpoints.get(one.delivery.endpoint_id));
        }),
        nowMs,
      );
      const written = sent.filter(({ delivery }) => held.has(delivery.id));
      const changes = locked.map((endpoint) => followAll(endpoint, written));
      await updateHealth(
        trx,
        changes.map(({ endpoint: { endpointId }, health }) => ({
          ...health,
          endpointId,
          isDue: isLow(endpointId),
        })),
        new Date(nowMs),
      );
      for (const { endpoint, consequence } of changes) await this.#act(trx, endpoint, { consequence, nowMs });
      const isActive = ({ delivery }: Sent) => endpoints.get(delivery.endpoint_id)?.status === 'active';
      return { written, inactive: sent.filter((one) => !isActive(one)).map(({ delivery }) => delivery.endpoint_id) };
    });
  }

  /** Owners of whom no more responses are stored today. */
  async #ownersOverLimit(sent: readonly Sent[]): Promise<ReadonlySet<string>> {
    const bytes = new Map<string, number>();
    for (const { delivery, result } of sent)
      bytes.set(delivery.owner_id, (bytes.get(delivery.owner_id) ?? 0) + responseBytes(result.attempt));
    const owners = new Set<string>();
    for (const [ownerId, own] of bytes) if (!(await this.options.kept.keeps(ownerId, own))) owners.add(ownerId);
    return owners;
  }

  async #act(
    trx: Knex,
    endpoint: LockedHealth,
    { consequence, nowMs }: { readonly consequence: Consequence; readonly nowMs: number },
  ): Promise<void> {
    if (consequence === 'none' || endpoint.status !== 'active') return;
    if (consequence === 'warn') return this.#mail(trx, endpoint, null);
    const { endpointId, ownerId } = endpoint;
    const reason = consequence === 'disable-gone' ? 'gone' : 'failing';
    if (!(await disableEndpoint(trx, endpoint, { reason, at: new Date(nowMs) }))) return;
    await skipPending(trx, { id: endpointId, owner_id: ownerId }, nowMs);
    await insertAuditEntry(trx, {
      actor: program,
      accountId: ownerId,
      action: 'webhook.disabled',
      subject: endpointId,
      details: { reason },
    });
    await this.#mail(trx, endpoint, reason);
  }

  /** Mails the owner that an endpoint is disabled, or, if `disabled` is null, that it fails. */
  async #mail(
    trx: Knex,
    { ownerId, isTest, url, failingSinceMs }: LockedHealth,
    disabled: 'failing' | 'gone' | null,
  ): Promise<void> {
    if (isTest) return;
    const owner = await findRecipient(trx, ownerId);
    if (owner === null) return;
    const since = new Date(failingSinceMs ?? this.options.clock.now()).toISOString();
    const letter =
      disabled === null
        ? ({ template: 'webhook-failing', data: { url, since } } as const)
        : ({ template: 'webhook-disabled', data: { url, since, isGone: disabled === 'gone' } } as const);
    await this.options.mail.enqueue(trx, {
      to: owner.email,
      locale: owner.locale,
      timezone: owner.timezone,
      ...letter,
    });
  }
}

function withoutResponse(sent: Sent): Sent {
  return { ...sent, result: { ...sent.result, attempt: withoutBody(sent.result.attempt) } };
}

/** Row of an attempt that has ended: nothing more is sent to an endpoint that is not active or does not exist. */
function markOf({ delivery, result, endedAtMs }: Sent, endpoint: LockedHealth | undefined): Mark {
  const { attempt, outcome } = result;
  const isOver = outcome.delayMs === null;
  const isSkipped = !isOver && endpoint?.status !== 'active';
  return {
    id: delivery.id,
    leasedUntil: delivery.leased_until,
    status: isSkipped ? 'skipped' : outcome.status,
    dueAt: outcome.delayMs === null || isSkipped ? null : new Date(endedAtMs + outcome.delayMs),
    attempt,
    endedAt: new Date(endedAtMs),
  };
}

const gravity: readonly Consequence[] = ['none', 'warn', 'disable-failing', 'disable-gone'];

/** Health of an endpoint after all attempts at it, and the gravest consequence. */
function followAll(endpoint: LockedHealth, written: readonly Sent[]) {
  let health: Health = endpoint;
  let consequence: Consequence = 'none';
  const own = written.filter(({ delivery }) => delivery.endpoint_id === endpoint.endpointId);
  for (const { delivery, result, endedAtMs } of own.toSorted((a, b) => a.endedAtMs - b.endedAtMs)) {
    const { status, isGone, isSlow } = result.outcome;
    const ended = { eventId: delivery.event_id, atMs: endedAtMs, isSuccess: status === 'delivered', isGone, isSlow };
    const next = afterAttempt(health, ended);
    health = next.health;
    if (gravity.indexOf(next.consequence) > gravity.indexOf(consequence)) consequence = next.consequence;
  }
  return { endpoint: { ...endpoint, failingSinceMs: health.failingSinceMs }, health, consequence };
}
