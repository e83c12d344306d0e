import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import type { PayloadForm } from '../kinds/payload.js';

/** Fields of an endpoint that its owner decides. */
export interface EndpointFields {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly payload: PayloadForm;
  readonly monitor_ids: readonly string[] | null;
  readonly tags_any: readonly string[] | null;
  readonly header_names: readonly string[];
  readonly sealed_headers: Buffer | null;
}

/** Secrets of an endpoint as they are stored. */
export interface SecretColumns {
  readonly sealed_secret: Buffer;
  readonly secret_hint: string;
  readonly sealed_previous_secret: Buffer | null;
  readonly previous_secret_expires_at: Date | null;
}

/** Endpoint with the state of its queue. */
export interface EndpointRow extends EndpointFields, SecretColumns {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly status: 'active' | 'paused' | 'disabled';
  readonly disabled_reason: 'failing' | 'gone' | null;
  readonly disabled_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `e.id, e.owner_id, e.created_by, e.is_test, e.url, e.events, e.description, e.status, e.disabled_reason, e.disabled_at,
  e.payload, e.monitor_ids, e.tags_any, e.header_names, e.sealed_headers, e.sealed_secret, e.secret_hint, e.sealed_previous_secret,
  e.previous_secret_expires_at, e.created_at, e.updated_at, q.failing_since, q.last_success_at, q.last_failure_at`;
const ENDPOINTS = 'webhook_endpoints e JOIN webhook_queues q ON q.endpoint_id = e.id';
const FROM = `FROM ${ENDPOINTS}`;

export async function countEndpoints(db: Knex, ownerId: string): Promise<number> {
  const [row] = await db('webhook_endpoints').where({ owner_id: ownerId }).count({ count: '*' });
  return Number(row?.['count'] ?? 0);
}

/** Stores an endpoint with an empty queue. */
export async function insertEndpoint(
  trx: Knex,
  endpoint: EndpointFields & {
    readonly id: string;
    readonly owner_id: string;
    readonly created_by: string;
    readonly is_test: boolean;
    readonly sealed_secret: Buffer;
    readonly secret_hint: string;
    readonly created_at: Date;
  },
): Promise<void> {
  await trx('webhook_endpoints').insert({
    ...endpoint,
    events: [...endpoint.events],
    updated_at: endpoint.created_at,
  });
  await trx('webhook_queues').insert({ endpoint_id: endpoint.id, host: hostOf(endpoint.url) });
}

/** Endpoints of an owner, newest first. */
export function listEndpoints(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<EndpointRow>> {
  const [from, where] = [ENDPOINTS, ownedBy(owner, 'e')];
  const query = { name: 'webhook-endpoints', columns: COLUMNS, from, where, orderBy: 'e.id DESC' };
  return queryPage<EndpointRow>(db, query, { ownerId: owner.id, ...page });
}

/** Endpoint of an owner; null if there is no such endpoint. */
export async function findEndpoint(db: Knex, id: string, owner: Owner): Promise<EndpointRow | null> {
  const sql = `SELECT ${COLUMNS} ${FROM} WHERE e.id = :id AND ${ownedBy(owner, 'e')}`;
  const [row] = await queryNamed<EndpointRow>(db, 'webhook-endpoint', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Same as `findEndpoint`, locked: no event is handed to it and none of its settings change until the transaction ends. */
export async function lockEndpoint(trx: Knex, id: string, owner: Owner): Promise<EndpointRow | null> {
  const { rows } = await trx.raw<{ rows: EndpointRow[] }>(
    `SELECT ${COLUMNS} ${FROM} WHERE e.id = :id AND ${ownedBy(owner, 'e')} FOR UPDATE OF e`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** Endpoints of an owner, locked as `lockEndpoint` locks one, in the order of their ids. */
export async function lockEndpointsOf(
  trx: Knex,
  ownerId: string,
): Promise<Pick<EndpointRow, 'id' | 'owner_id' | 'url'>[]> {
  const { rows } = await trx.raw<{ rows: Pick<EndpointRow, 'id' | 'owner_id' | 'url'>[] }>(
    `SELECT id, owner_id, url FROM webhook_endpoints WHERE ${ofOwner()} ORDER BY id FOR UPDATE`,
    { ownerId },
  );
  return rows;
}

/** Locks the queues of endpoints in the order of their ids, after their endpoints and before their deliveries. */
export async function lockQueues(trx: Knex, endpointIds: readonly string[]): Promise<void> {
  await trx.raw('SELECT FROM webhook_queues WHERE endpoint_id = ANY(?) ORDER BY endpoint_id FOR UPDATE', [
    [...new Set(endpointIds)],
  ]);
}

/** Writes columns of a locked endpoint. */
export async function updateEndpoint(
  trx: Knex,
  { id, owner_id: ownerId }: Pick<EndpointRow, 'id' | 'owner_id'>,
  columns: Partial<EndpointFields & SecretColumns & Pick<EndpointRow, 'status' | 'disabled_reason' | 'disabled_at'>> & {
    readonly updated_at: Date;
  },
): Promise<void> {
  await trx('webhook_endpoints').where({ id, owner_id: ownerId }).update(columns);
}

/** Notes the host of a locked endpoint whose URL has changed. */
export async function updateHost(trx: Knex, endpointId: string, url: string): Promise<void> {
  await trx('webhook_queues')
    .where({ endpoint_id: endpointId })
    .update({ host: hostOf(url) });
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}

/** Forgets failures of an endpoint that is enabled again. */
export async function resetFailures(trx: Knex, endpointId: string): Promise<void> {
  await trx.raw(
    `UPDATE webhook_queues SET failing_since = NULL, failing_event = NULL, has_failed_again = false, warned_at = NULL, is_slow = false
     WHERE endpoint_id = ?`,
    [endpointId],
  );
}

/** Deletes a locked endpoint and its queue; deliveries stay until their retention ends and are not shown. */
export async function deleteEndpoint(trx: Knex, { id, owner_id: ownerId }: Pick<EndpointRow, 'id' | 'owner_id'>) {
  await trx('webhook_endpoints').where({ id, owner_id: ownerId }).delete();
}

/** Deletes everything of an owner: endpoints with their secrets, events and deliveries. */
export async function deleteWebhooksOf(trx: Knex, { id: ownerId }: Pick<Owner, 'id'>): Promise<void> {
  // in the order of all transactions: endpoints, then their queues, each by id
  const endpoints = await lockEndpointsOf(trx, ownerId);
  await lockQueues(
    trx,
    endpoints.map(({ id }) => id),
  );
  await trx.raw(
    `DELETE FROM webhook_waiting WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE ${ofOwner()})`,
    { ownerId },
  );
  await trx.raw(`DELETE FROM webhook_endpoints WHERE ${ofOwner()}`, { ownerId });
  await trx.raw(`DELETE FROM webhook_deliveries WHERE ${ofOwner()}`, { ownerId });
  await trx.raw(`DELETE FROM webhook_events WHERE ${ofOwner()}`, { ownerId });
}

/** Counts all endpoints by status. */
export async function countByStatus(db: Knex): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.raw<{ rows: { status: string; count: number }[] }>(
    'SELECT status, count(*)::int AS count FROM webhook_endpoints GROUP BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
