import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import { Type } from 'typebox';
import { queryPrepared } from '../../../db/prepared.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import { type Owner, ownedBy } from '../../../owners/index.js';

/** Kinds of scopes of maintenance windows and silences; part of the public API. */
const monitorScopeTypes = ['monitor', 'group', 'tag', 'all'] as const;
export type MonitorScopeType = (typeof monitorScopeTypes)[number];

/** Monitors that something applies to. */
interface MonitorScope {
  readonly scope_type: MonitorScopeType;
  /** Ids of monitors or groups, or tags in lower case and in order; empty for `all`. */
  readonly scope_ids: readonly string[];
}

/** Schemas of the fields of a scope. */
export const monitorScopeSchemas = {
  scope_type: Type.Enum([...monitorScopeTypes], {
    type: 'string',
    description: 'Meaning of `scope_ids`: ids of monitors, ids of groups, or tags; `all`: every monitor.',
  }),
  scope_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), {
    maxItems: 200,
    description:
      'Ids of your monitors or groups, or tags, which are stored in lower case. Empty if `scope_type` is `all`, otherwise not.',
  }),
};

/** Scope that is not `all`, with each id once. @throws ApiError VALIDATION_FAILED about `scope_ids` */
export function namedScope(type: Exclude<MonitorScopeType, 'all'>, ids: readonly string[] | undefined) {
  if (ids === undefined) throw fieldError('scope_ids', 'required', `is required where "scope_type" is ${type}`);
  if (ids.length === 0) throw fieldError('scope_ids', 'length', 'must not be empty unless "scope_type" is all');
  if (type !== 'tag') return { scope_type: type, scope_ids: [...new Set(ids)] };
  return { scope_type: type, scope_ids: [...new Set(ids.map((tag) => tag.trim().toLowerCase()))].sort() };
}

/**
 * Checks that monitors and groups of a scope belong to the owner; tags need not be in use. `fieldOf`: name of the field of an
 * id in errors.
 * @throws ApiError VALIDATION_FAILED
 */
export async function checkScope(
  trx: Knex,
  { scope_type, scope_ids }: MonitorScope,
  owner: Owner,
  fieldOf = (index: number) => `scope_ids.${index}`,
): Promise<void> {
  if (scope_type !== 'monitor' && scope_type !== 'group') return;
  const table = scope_type === 'monitor' ? 'monitors' : 'monitor_groups';
  const owned = new Set(await listOwned(trx, table, scope_ids, owner));
  const details: FieldErrors = {};
  for (const [index, id] of scope_ids.entries()) {
    if (!owned.has(id)) details[fieldOf(index)] = [{ code: 'not_found', message: `no such ${scope_type}` }];
  }
  if (Object.keys(details).length > 0) throw new ApiError('VALIDATION_FAILED', { details });
}

/** Those of the ids that are monitors or groups of an owner. */
async function listOwned(
  db: Knex,
  table: 'monitors' | 'monitor_groups',
  ids: readonly string[],
  owner: Owner,
): Promise<string[]> {
  const statement = {
    name: `${table}-owned${owner.isTest ? '-test' : ''}`,
    text: `SELECT id FROM ${table} WHERE id = ANY($1::text[]) AND ${ownedBy(owner, undefined, '$2')}`,
  };
  const rows = await queryPrepared<{ id: string }>(db, statement, [[...ids], owner.id]);
  return rows.map(({ id }) => id);
}
