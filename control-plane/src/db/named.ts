import type { Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import { queryPrepared, queryUnprepared } from './prepared.js';

/** Values of a statement by the names that its text gives them: `{ ownerId }` for `:ownerId`. */
export type NamedValues = Readonly<Record<string, unknown>>;

/**
 * Texts of one name that are prepared: each takes memory in every server process, and callers choose filters. Whatever texts come later
 * are planned at each request.
 */
const TEXTS_PREPARED = 32;

/**
 * Runs a prepared statement whose text names its values, as `queryPrepared` otherwise. `name` may have several texts, such as one for each
 * set of filters; values are always bound, so that no caller can make further ones.
 * @throws RangeError if the text names a value that is missing
 */
export function queryNamed<R extends QueryResultRow>(
  db: Knex,
  name: string,
  text: string,
  values: NamedValues,
): Promise<R[]> {
  const statement = statementOf(name, text);
  const bound = statement.places.map((place) => {
    if (values[place] === undefined) throw new RangeError(`"${name}" has no value for ":${place}"`);
    return values[place];
  });
  if (statement.prepared === null) return queryUnprepared<R>(db, statement.text, bound);
  return queryPrepared<R>(db, { name: statement.prepared, text: statement.text }, bound);
}

/** Parts of the statement of a list. */
export interface ListQuery {
  /** Unique among all prepared statements. */
  readonly name: string;
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  /** Condition on rows after a position, which do not change the number of all. */
  readonly after?: string | undefined;
  readonly orderBy: string;
}

/** Rows of a list that are read: at most `limit`, without the first `offset`. */
export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/** Part of a list, and the number of all its rows. */
export interface CountedPage<R> {
  readonly rows: R[];
  readonly total: number;
}

/** Reads a part of a list; counts the list only if the part does not show its end. */
export async function queryPage<R extends QueryResultRow>(
  db: Knex,
  { name, columns, from, where, after, orderBy }: ListQuery,
  values: NamedValues & PageRange,
): Promise<CountedPage<R>> {
  const { limit, offset } = values;
  // the subqueries keep a plan from being made for each limit
  const page = `SELECT ${columns} FROM ${from} WHERE ${where}${after === undefined ? '' : ` AND ${after}`}
    ORDER BY ${orderBy} LIMIT (SELECT :limit::bigint) OFFSET (SELECT :offset::bigint)`;
  const rows = await queryNamed<R>(db, name, page, values);
  const isEndShown = rows.length < limit && (rows.length > 0 || offset === 0);
  if (after === undefined && isEndShown) return { rows, total: offset + rows.length };
  const count = `SELECT count(*)::int AS total FROM ${from} WHERE ${where}`;
  const [counted] = await queryNamed<{ total: number }>(db, `${name}-count`, count, values);
  return { rows, total: counted?.total ?? 0 };
}

interface NamedStatement {
  /** Null if too many texts of its name are prepared. */
  readonly prepared: string | null;
  /** With `$1` in place of the first name. */
  readonly text: string;
  readonly places: readonly string[];
}

const statements = new Map<string, Map<string, NamedStatement>>();

function statementOf(name: string, text: string): NamedStatement {
  const texts = statements.get(name) ?? new Map<string, NamedStatement>();
  statements.set(name, texts);
  const known = texts.get(text);
  if (known !== undefined) return known;
  const isPrepared = texts.size < TEXTS_PREPARED;
  const prepared = texts.size === 0 ? name : `${name}-${texts.size + 1}`;
  const statement = { prepared: isPrepared ? prepared : null, ...numbered(text) };
  if (isPrepared) texts.set(text, statement);
  return statement;
}

/** Replaces the names of values by their numbers; texts in quotes and casts stay. */
export function numbered(text: string): { readonly text: string; readonly places: readonly string[] } {
  const places: string[] = [];
  const replaced = text.replace(/'(?:[^']|'')*'|::|:([a-z]\w*)/gi, (found, place: string | undefined) => {
    if (place === undefined) return found;
    if (!places.includes(place)) places.push(place);
    return `$${places.indexOf(place) + 1}`;
  });
  return { text: replaced, places };
}
