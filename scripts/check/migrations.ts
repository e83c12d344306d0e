import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { judgeMigration } from './migrations/judge-migration.js';

const FOLDER = 'control-plane/src/db/migrations';
/** Last migration that was written before the first release, when no installation had rows. */
const LAST_EXEMPT = '0012-replica-ranges';

/** Replicas of the previous version go on while a migration runs, on tables with many rows. */
export const migrations: Check = {
  name: 'migrations',
  title: 'no migration rewrites a large table, locks one for long, or breaks the previous version',
  run: async (root) => {
    const names = readdirSync(join(root, FOLDER))
      .filter((name) => /^\d{4}-.*\.ts$/.test(name))
      .sort();
    const files = names.map((name) => ({
      path: `${FOLDER}/${name}`,
      text: readFileSync(join(root, FOLDER, name), 'utf8'),
    }));
    return files.flatMap(({ path, text }, index): Finding[] => {
      if ((names[index] ?? '') <= `${LAST_EXEMPT}.ts`) return [];
      const earlier = files.slice(0, index).map((file) => file.text);
      return judgeMigration(text, earlier).map(({ line, says }) => `${path}:${line}: ${says}`);
    });
  },
};
