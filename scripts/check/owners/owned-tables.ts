import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'control-plane/src/db/migrations';
/** Columns that hold the id of an owner. */
const ownerColumns = ['owner_id', 'account_id'];

/** Names of the tables whose rows belong to owners, by the migrations that create them. */
export function readOwnedTables(root: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => findOwnedTables(readFileSync(join(root, folder, name), 'utf8')));
}

/** The same of one text of SQL. */
export function findOwnedTables(sql: string): string[] {
  const created = [...sql.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (\w+) \(\n([^]*?)\n\s*\)[^;]*;/g)];
  const altered = [...sql.matchAll(/\bALTER TABLE (\w+)\b([^;]*);/g)];
  const hasOwner = new RegExp(`(?:^|ADD COLUMN)\\s*(?:${ownerColumns.join('|')}) `, 'm');
  return [...created, ...altered].filter(([, , columns = '']) => hasOwner.test(columns)).map(([, name = '']) => name);
}
