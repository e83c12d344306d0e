import { lineAt } from '../masked-code.js';
import { findStatements } from './sql-statements.js';

/** Statement that must not be in a migration, and what to write instead. */
export interface MigrationFault {
  readonly line: number;
  readonly says: string;
}

interface Rule {
  /** True if older programs fail without what it takes away. */
  readonly breaks?: true;
  /** The first group is the table. */
  readonly pattern: RegExp;
  /** Instead of; a function gets the match. */
  readonly says: string;
  /** True if an earlier migration prepared it. */
  readonly isPrepared?: (match: RegExpExecArray, earlier: readonly string[]) => boolean;
}

const REQUIRES =
  'breaks older versions, which do not refuse the database: export `requires`, the first migration of the version that no longer uses it';
const BREAKS =
  'breaks replicas of the previous version: stop using it in one release, and say "-- allowed: unused since VERSION" in the next';
const TABLE = String.raw`(?:IF EXISTS )?(?:ONLY )?"?([\w$}{]+)"?`;
const rule = (pattern: string, says: string): Rule => ({ pattern: new RegExp(pattern, 'i'), says });
const alter = (clause: string, says: string) => rule(`^ALTER TABLE ${TABLE} (?:.*, )?${clause}`, says);

/** Statements about tables with rows, by what they do to these and to replicas of the previous version. */
const rules: readonly Rule[] = [
  alter(
    'ALTER (?:COLUMN )?\\S+ (?:SET DATA )?TYPE',
    'rewrites the table: add a column, fill it in batches, and drop the old one later',
  ),
  alter(
    'ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT)\\w+ .*(?:\\bDEFAULT [^,]*\\b(?:random|gen_random_uuid|uuidv7|clock_timestamp|timeofday|nextval)\\b|GENERATED|\\b(?:big|small)?serial\\b)',
    'rewrites the table: add the column without the default, and fill it in batches',
  ),
  alter(
    'ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT|FOREIGN|CHECK|PRIMARY|UNIQUE)\\w+ (?!.*DEFAULT)[^,]*NOT NULL',
    'fails with rows, and for inserts of the previous version: give it a default, or make it nullable',
  ),
  alter(
    'ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT|FOREIGN|CHECK|PRIMARY|UNIQUE)\\w+ [^,]*\\b(?:UNIQUE|PRIMARY KEY|REFERENCES|CHECK)\\b',
    'reads the whole table under a lock: add the column, then the constraint NOT VALID or its index by `indexes` of a further migration',
  ),
  {
    ...alter(
      'ALTER (?:COLUMN )?(\\w+) SET NOT NULL',
      'reads the whole table under a lock: first CHECK (column IS NOT NULL) NOT VALID, VALIDATE it in the next migration, then SET NOT NULL',
    ),
    isPrepared: ([, table = '', column = ''], earlier) =>
      earlier.some((text) => new RegExp(`CHECK \\(${column} IS NOT NULL\\) NOT VALID`, 'i').test(text)) &&
      earlier.some((text) => new RegExp(`ALTER TABLE ${table}\\s+VALIDATE CONSTRAINT`, 'i').test(text)),
  },
  alter(
    'ADD (?:CONSTRAINT \\S+ )?(?:FOREIGN KEY|CHECK)(?!.*NOT VALID)',
    'reads the whole table under a lock: add it NOT VALID, and VALIDATE CONSTRAINT in the next migration',
  ),
  alter(
    'ADD (?:CONSTRAINT \\S+ )?(?:PRIMARY KEY|UNIQUE|EXCLUDE)(?!.*USING INDEX)',
    'builds an index under a lock: build it by `indexes` of an earlier migration, then ADD CONSTRAINT … USING INDEX',
  ),
  alter('SET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)', 'rewrites the table'),
  {
    ...alter('(?:DROP (?:COLUMN )?(?!CONSTRAINT|DEFAULT|NOT NULL)|RENAME)', BREAKS),
    breaks: true,
  },
  { ...rule(`^DROP TABLE ${TABLE}`, BREAKS), breaks: true },
  rule(
    `^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(?:(?!ON )\\S+ )?ON ${TABLE}`,
    'cannot run in the transaction of a migration, and PostgreSQL refuses it on a partitioned table: export `indexes`, which buildIndex builds CONCURRENTLY, on one partition after another',
  ),
  rule(
    `^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?(?:(?!ON )\\S+ )?ON ${TABLE}`,
    'blocks writes while it is built: export `indexes` from a migration of its own, which builds them CONCURRENTLY',
  ),
  rule(
    `^UPDATE ${TABLE}`,
    'changes rows in one transaction, which blocks their writers: do it in batches, as upkeep of the module',
  ),
  rule(
    `^DELETE FROM ${TABLE}`,
    'deletes rows in one transaction, which blocks their writers: do it in batches, as upkeep of the module',
  ),
  rule(`^(?:LOCK(?: TABLE)?|CLUSTER|TRUNCATE(?: TABLE)?) ${TABLE}`, 'blocks everyone who uses the table'),
  rule('^(?:VACUUM FULL|REINDEX|REFRESH MATERIALIZED VIEW) (?:\\w+ )?(\\w+)', 'blocks everyone who uses the table'),
];

/** Statements of a migration that rewrite or lock a table with rows, or break the previous version. */
export function judgeMigration(source: string, earlier: readonly string[]): MigrationFault[] {
  const statements = findStatements(source);
  const created = new Set(
    statements.flatMap(({ text }) => {
      const [, table] = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(text) ?? [];
      return table === undefined ? [] : [table];
    }),
  );
  const hasRequirement = /^export const requires = '\d{4}-/m.test(source);
  const faults = statements.flatMap(({ text, line, allowed }) =>
    rules.flatMap(({ pattern, says, isPrepared, breaks }): MigrationFault[] => {
      const match = pattern.exec(text);
      if (match === null || created.has(match[1] ?? '') || isPrepared?.(match, earlier) === true) return [];
      if (allowed === null) return [{ line, says: `"${text.slice(0, 60)}" ${says}` }];
      return breaks === true && !hasRequirement ? [{ line, says: `"${text.slice(0, 60)}" ${REQUIRES}` }] : [];
    }),
  );
  const builder = /\.schema\b/.exec(source);
  if (builder === null) return faults;
  return [
    ...faults,
    { line: lineAt(source, builder.index), says: 'uses the schema builder, which is not judged here: write SQL' },
  ];
}
