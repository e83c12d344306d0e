import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type pg from 'pg';
import { EndpointSeals } from 'vantage-control/modules/webhooks/endpoints/endpoint-seals.js';
import { newSecret } from 'vantage-control/modules/webhooks/endpoints/secret.js';
import { secretKey } from '../alerts/policies.js';

/** Webhook endpoint of an account of its own, which gets every event of the account. */
export interface MadeEndpoint {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string;
}

/** Stores endpoints with an account each, at the addresses that `urlOf` gives. */
export async function insertEndpoints(
  database: pg.Pool,
  count: number,
  urlOf: (index: number) => string,
): Promise<MadeEndpoint[]> {
  const seals = new EndpointSeals(secretKey);
  const made = Array.from({ length: count }, (_, index) => ({
    id: newId(idPrefixes.webhookEndpoint),
    ownerId: newId(idPrefixes.user),
    url: urlOf(index),
  }));
  const ids = made.map(({ id }) => id);
  const owners = made.map(({ ownerId }) => ownerId);
  await database.query(
    "INSERT INTO owners (id, kind, plan) SELECT id, 'user', 'unlimited' FROM unnest($1::text[]) id",
    [owners],
  );
  await database.query(
    "INSERT INTO users (id, email, role, email_verified_at) SELECT id, lower(id) || '@example.com', 'user', now() FROM unnest($1::text[]) id",
    [owners],
  );
  await database.query(
    `INSERT INTO webhook_endpoints (id, owner_id, created_by, url, events, payload, sealed_secret, secret_hint, created_at, updated_at)
     SELECT e.id, e.owner_id, e.owner_id, e.url, '{*}', 'full', e.sealed, '', now(), now()
     FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) AS e(id, owner_id, url, sealed)`,
    [ids, owners, made.map(({ url }) => url), made.map(() => seals.seal(newSecret()))],
  );
  await database.query('INSERT INTO webhook_queues (endpoint_id, host) SELECT * FROM unnest($1::text[], $2::text[])', [
    ids,
    made.map(({ url }) => new URL(url).hostname),
  ]);
  await database.query('ANALYZE owners, users, webhook_endpoints, webhook_queues');
  return made;
}
