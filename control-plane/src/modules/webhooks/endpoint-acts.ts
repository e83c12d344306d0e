import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import type { Outbound } from '../../deliver/index.js';
import { ApiError } from '../../http/errors.js';
import type { Page } from '../../http/pagination.js';
import type { Account } from '../../http/route.js';
import { lockOwner, ownedColumns } from '../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../plans/index.js';
import { skipPending } from './deliveries/delivery-store.js';
import type { EndpointSeals, HeaderValues } from './endpoints/endpoint-seals.js';
import { checkHeaders, checkUrl, isOtherServer, mergeHeaders } from './endpoints/endpoint-settings.js';
import {
  countEndpoints,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  resetFailures,
  updateEndpoint,
  updateHost,
} from './endpoints/endpoint-store.js';
import { type EndpointChange, type EndpointCreate, MAX_ENDPOINTS } from './endpoints/schema.js';
import { formatSecret, hintOf, newSecret } from './endpoints/secret.js';
import { checkEvents } from './endpoints/subscription.js';

const HOUR_MS = 3_600_000;

const endpointCap: FixedCap = { field: 'webhooks', most: MAX_ENDPOINTS, count: countEndpoints };

interface EndpointActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly seals: EndpointSeals;
  readonly outbound: Pick<Outbound, 'check'>;
}

/** Caller and circumstances of an act. */
export interface WebhookAct {
  readonly account: Account;
  readonly actor: Actor;
}

/** Creates, changes and deletes webhook endpoints of accounts. */
export class EndpointActs {
  constructor(private readonly options: EndpointActsOptions) {}

  /** Creates an endpoint; `secret` is shown only here. @throws ApiError VALIDATION_FAILED, ACCOUNT_DELETED */
  async create(body: EndpointCreate, act: WebhookAct): Promise<{ endpoint: EndpointRow; secret: string }> {
    const { db, clock, seals } = this.options;
    const nowMs = clock.now();
    const id = newId(idPrefixes.webhookEndpoint, nowMs);
    const secret = newSecret();
    const fields = this.#fieldsOf(body, null);
    const endpoint = await db.transaction(async (trx) => {
      const owner = await lockOwner(trx, act.account.owner);
      await reserveFixed(trx, owner, endpointCap, nowMs);
      const sealed = { sealed_secret: seals.seal(secret), secret_hint: hintOf(secret) };
      const owned = { id, ...ownedColumns(act.account), created_at: new Date(nowMs) };
      await insertEndpoint(trx, { ...owned, ...sealed, ...fields });
      await audit(trx, act, { action: 'webhook.created', subject: id, details: { url: originOf(fields.url) } });
      return get(trx, id, act.account);
    });
    return { endpoint, secret: formatSecret(secret) };
  }

  /** Changes the given fields only. @throws ApiError VALIDATION_FAILED, NOT_FOUND */
  change(id: string, { status, ...body }: EndpointChange, act: WebhookAct): Promise<EndpointRow> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    return db.transaction(async (trx) => {
      const before = await lockEndpoint(trx, id, act.account.owner);
      if (before === null) throw new ApiError('NOT_FOUND');
      const fields = this.#fieldsOf(body, before);
      const enabled = status === undefined ? {} : { status, disabled_reason: null, disabled_at: null };
      await updateEndpoint(trx, before, { ...fields, ...enabled, updated_at: new Date(nowMs) });
      if (fields.url !== before.url) await updateHost(trx, id, fields.url);
      if (status === 'active') await resetFailures(trx, id);
      if (status === 'paused') await skipPending(trx, before, nowMs);
      const details = { fields: Object.keys({ ...body, ...(status === undefined ? {} : { status }) }) };
      await audit(trx, act, { action: 'webhook.changed', subject: id, details });
      return get(trx, id, act.account);
    });
  }

  /** @throws ApiError NOT_FOUND */
  async delete(id: string, act: WebhookAct): Promise<void> {
    const { db, clock } = this.options;
    await db.transaction(async (trx) => {
      const endpoint = await lockEndpoint(trx, id, act.account.owner);
      if (endpoint === null) throw new ApiError('NOT_FOUND');
      await skipPending(trx, endpoint, clock.now());
      await deleteEndpoint(trx, endpoint);
      await audit(trx, act, { action: 'webhook.deleted', subject: id, details: { url: originOf(endpoint.url) } });
    });
  }

  /**
   * Replaces the secret; the current one also signs for some hours, and an older one ends.
   * @throws ApiError NOT_FOUND
   */
  rotateSecret(
    id: string,
    overlapHours: number,
    act: WebhookAct,
  ): Promise<{ secret: string; previousExpiresAt: Date | null }> {
    const { db, clock, seals } = this.options;
    const nowMs = clock.now();
    return db.transaction(async (trx) => {
      const before = await lockEndpoint(trx, id, act.account.owner);
      if (before === null) throw new ApiError('NOT_FOUND');
      const secret = newSecret();
      const previousExpiresAt = overlapHours === 0 ? null : new Date(nowMs + overlapHours * HOUR_MS);
      await updateEndpoint(trx, before, {
        sealed_secret: seals.seal(secret),
        secret_hint: hintOf(secret),
        sealed_previous_secret: previousExpiresAt === null ? null : before.sealed_secret,
        previous_secret_expires_at: previousExpiresAt,
        updated_at: new Date(nowMs),
      });
      await audit(trx, act, {
        action: 'webhook.secret_rotated',
        subject: id,
        details: { overlap_hours: overlapHours },
      });
      return { secret: formatSecret(secret), previousExpiresAt };
    });
  }

  /** @throws ApiError NOT_FOUND */
  get(id: string, account: Account): Promise<EndpointRow> {
    return get(this.options.db, id, account);
  }

  list({ owner }: Account, page: Page): Promise<{ rows: EndpointRow[]; total: number }> {
    return listEndpoints(this.options.db, owner, page);
  }

  /** Fields after a change; `before` is null for a new endpoint, whose body is complete. @throws ApiError VALIDATION_FAILED */
  #fieldsOf(body: Partial<EndpointCreate>, before: EndpointRow | null) {
    const { seals, outbound } = this.options;
    const url = body.url ?? before?.url ?? '';
    if (body.url !== undefined) checkUrl(outbound, body.url);
    if (body.events !== undefined) checkEvents(body.events);
    const held: HeaderValues = before === null ? {} : seals.openHeaders(before);
    const isMoved = before !== null && body.url !== undefined && isOtherServer(before.url, body.url);
    const headers = mergeHeaders(body.headers, held, { isOtherServer: isMoved });
    checkHeaders(headers);
    const filter = body.filter === undefined ? undefined : (body.filter ?? {});
    return {
      url,
      events: body.events ?? before?.events ?? [],
      description: body.description !== undefined ? body.description : (before?.description ?? null),
      payload: body.payload ?? before?.payload ?? 'full',
      monitor_ids: filter === undefined ? (before?.monitor_ids ?? null) : (filter.monitor_ids ?? null),
      // tags of monitors are in lower case
      tags_any:
        filter === undefined ? (before?.tags_any ?? null) : (filter.tags_any?.map((tag) => tag.toLowerCase()) ?? null),
      header_names: Object.keys(headers),
      sealed_headers: seals.sealHeaders(headers),
    } as const;
  }
}

async function get(db: Knex, id: string, { owner }: Account): Promise<EndpointRow> {
  const row = await findEndpoint(db, id, owner);
  if (row === null) throw new ApiError('NOT_FOUND');
  return row;
}

/** Origin of a URL, for the audit log: path and query may hold a secret of the receiver. */
function originOf(url: string): string {
  return new URL(url).origin;
}

function audit(
  trx: Knex,
  { account, actor }: WebhookAct,
  entry: Pick<Parameters<typeof insertAuditEntry>[1], 'action' | 'subject' | 'details'>,
): Promise<void> {
  return insertAuditEntry(trx, { ...entry, actor, accountId: account.owner.id });
}
