import type { Check, Finding } from './check.js';
import { readOwnedTables } from './owners/owned-tables.js';
import { findUnowned, type UnownedStatement } from './owners/statements.js';
import { type Unowned, unowned } from './owners/unowned.js';
import { isTestCode, readSourceFiles } from './source-files.js';

const folder = 'control-plane/src/';

/** No statement of the control plane reads or changes rows of all owners, unless a list says why. */
export const owners: Check = {
  name: 'owners',
  title: 'every statement about an owned table has a condition on the owner, or its reason',
  run: async (root) => {
    const tables = readOwnedTables(root);
    const files = readSourceFiles(root).filter(
      ({ path }) => path.startsWith(folder) && !isTestCode(path) && !path.includes('/migrations/'),
    );
    return judgeUnowned(
      files.flatMap((file) => findUnowned(file, tables)),
      unowned,
    );
  },
};

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
