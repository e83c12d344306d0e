import { randomBytes } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertUsers } from './owners.js';

/** Inserts a public node of a new administrator; `columns` as in table nodes. Resolves with its id. */
export async function insertNode(db: Knex, columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const userId = await insertUser(db, { role: 'admin', plan: 'unlimited' });
  const id = newId(idPrefixes.node);
  await db('nodes').insert({
    id,
    owner_id: userId,
    name: 'node',
    visibility: 'public',
    public_key: randomBytes(32),
    hostname: 'node.test',
    agent_version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    ...columns,
  });
  return id;
}

/** Inserts a user without a password; `columns` as in table users, and `plan`. Resolves with the id. */
export async function insertUser(db: Knex, columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const id = newId(idPrefixes.user);
  const email = `${id.toLowerCase()}@test.example`;
  await insertUsers(db, [{ id, email, role: 'user', plan: 'free', ...columns }]);
  return id;
}
