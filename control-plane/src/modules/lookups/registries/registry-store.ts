import type { AskedRegistryServer } from '@vantage/shared/probe-types/domain.js';
import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';

// Nodes learn from referrals which servers they ask, so servers are paid for afterwards: a server without a token is not to be
// asked until its bucket has refilled.

/** Requests a minute that a server gets unless the operator says otherwise. */
const DEFAULT_RATE = 30;
/** Time for which a server that refused is not asked, where it names none, in seconds. */
const SHUT_SECONDS = 300;
/** Servers that a node can be instructed to leave out. */
const MAX_SHUT = 64;

/** Requests a minute of servers that differ from the default, by host. */
export type RegistryRates = ReadonlyMap<string, number>;

/** Reasons why a server is not asked: it refused, or its bucket is empty. */
export type ShutReason = 'refused' | 'empty';

const TOKENS = '(tokens + extract(epoch FROM now() - updated_at) * per_minute / 60)';
const IS_SHUT = `(shut_until > now() OR ${TOKENS} < 1)`;

const LIST_SHUT = {
  name: 'registry-servers-shut',
  text: `SELECT server FROM registry_servers WHERE ${IS_SHUT} ORDER BY greatest(shut_until, updated_at) DESC LIMIT ${MAX_SHUT}`,
};

/** Lists the servers that are not to be asked at present: those that refused, and those whose bucket is empty. */
export async function listShutServers(db: Knex): Promise<string[]> {
  const rows = await queryPrepared<{ server: string }>(db, LIST_SHUT, []);
  return rows.map(({ server }) => server);
}

const SHUT_FOR = {
  name: 'registry-servers-shut-for',
  text: `SELECT server, 1000 * greatest(extract(epoch FROM shut_until - now()), (1 - ${TOKENS}) * 60 / per_minute)::float8 AS ms
         FROM registry_servers WHERE server = ANY($1) AND ${IS_SHUT}`,
};

/** Time for which servers are not to be asked, in milliseconds; those without a time may be. */
export async function shutTimes(db: Knex, servers: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await queryPrepared<{ server: string; ms: number }>(db, SHUT_FOR, [[...servers]]);
  return new Map(rows.map(({ server, ms }) => [server, ms]));
}

/** Counts the servers that are not to be asked at present, by the reason. */
export async function countShutServers(db: Knex): Promise<Readonly<Record<ShutReason, number>>> {
  const { rows } = await db.raw<{ rows: [Record<ShutReason, number>] }>(
    `SELECT count(*) FILTER (WHERE shut_until > now())::int AS refused,
            count(*) FILTER (WHERE shut_until IS NULL OR shut_until <= now())::int AS empty
     FROM registry_servers WHERE ${IS_SHUT}`,
  );
  return rows[0];
}

/** Takes a token of each server that was asked, and shuts those that refused. */
export async function noteAskedServers(
  db: Knex,
  servers: readonly AskedRegistryServer[],
  rates: RegistryRates,
): Promise<void> {
  const asked = servers.filter(({ outcome }) => outcome !== 'skipped').sort((a, b) => (a.server < b.server ? -1 : 1));
  for (const { server, outcome, retry_after_s } of asked) {
    const rate = rates.get(server) ?? rates.get(server.replace(/:\d+$/, '')) ?? DEFAULT_RATE;
    const shutSeconds = outcome === 'refused' ? (retry_after_s ?? SHUT_SECONDS) : null;
    await db.raw(
      `INSERT INTO registry_servers AS s (server, per_minute, tokens, updated_at, shut_until)
       VALUES (:server, :rate, :rate::float8 - 1, now(), now() + :shutSeconds::float8 * interval '1 second')
       ON CONFLICT (server) DO UPDATE SET
         per_minute = excluded.per_minute,
         tokens = least(:rate::float8, s.tokens + extract(epoch FROM now() - s.updated_at) * s.per_minute / 60) - 1,
         updated_at = now(),
         shut_until = greatest(s.shut_until, excluded.shut_until)`,
      { server, rate, shutSeconds },
    );
  }
}

/** Deletes servers whose buckets have been full for a long time. */
export async function deleteFullServers(db: Knex): Promise<void> {
  await db.raw(
    `DELETE FROM registry_servers WHERE updated_at < now() - interval '1 day' AND (shut_until IS NULL OR shut_until < now())`,
  );
}
