import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { findUnowned, type UnownedStatement } from './owners/statements.js';
import { type Unowned, unowned } from './owners/unowned.js';
import { isTestCode, readSourceFiles } from './source-files.js';

const folder = 'control-plane/src/';
const migrations = 'control-plane/src/db/migrations';

/** No statement of the control plane reads or changes rows of all owners, unless a list says why. */
export const owners: Check = {
  name: 'owners',
  title: 'every statement about an owned table has a condition on the owner, or its reason',
  run: async (root) => {
    const tables = readdirSync(join(root, migrations), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.ts') ? findOwnedTables(readFileSync(join(root, migrations, name), 'utf8')) : [],
    );
    const files = readSourceFiles(root).filter(
      ({ path }) => path.startsWith(folder) && !isTestCode(path) && !path.includes('/migrations/'),
    );
    return judgeUnowned(
      files.flatMap((file) => findUnowned(file, tables)),
      unowned,
    );
  },
};

/** Tables whose rows belong to owners: those that a migration creates, or changes, with a column for the id of an owner. */
export function findOwnedTables(sql: string): string[] {
  const created = [...sql.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (\w+) \(\n([^]*?)\n\s*\)[^;]*;/g)];
  const altered = [...sql.matchAll(/\bALTER TABLE (\w+)\b([^;]*);/g)];
  const hasOwner = /(?:^|ADD COLUMN)\s*(?:owner_id|account_id) /m;
  return [...created, ...altered].filter(([, , columns = '']) => hasOwner.test(columns)).map(([, name = '']) => name);
}

/** Statements that no entry covers, and entries that cover none. */
export function judgeUnowned(found: readonly UnownedStatement[], listed: readonly Unowned[]): Finding[] {
  const isListed = ({ path, declaration }: UnownedStatement) =>
    listed.some((entry) => entry.declarations[path.slice(folder.length)]?.includes(declaration));
  const missing = found.filter((statement) => !isListed(statement));
  const idle = listed.flatMap(({ declarations }) =>
    Object.entries(declarations).flatMap(([path, names]) =>
      names
        .filter(
          (name) => !found.some((statement) => statement.path === folder + path && statement.declaration === name),
        )
        .map(
          (name) =>
            `${folder}${path}: ${name} is listed in scripts/check/owners/unowned.ts, and has no statement without an owner`,
        ),
    ),
  );
  return [
    ...missing.map(
      ({ path, line, declaration, table }) =>
        `${path}:${line}: ${declaration} names ${table} without an owner's condition: use ownedBy, or say why in scripts/check/owners/unowned.ts`,
    ),
    ...idle,
  ];
}
