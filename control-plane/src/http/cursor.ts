import { compileSchema } from '@vantage/shared/validation.js';
import { type Static, type TSchema, Type } from 'typebox';
import { fieldError } from './errors.js';
import type { Pagination } from './route.js';

// A cursor is base64url of JSON: {"v":1,"list":"audit","after":…}. Callers return it unchanged; it is the position of
// the next page, grants no access, and so needs no signature.

const VERSION = 1;
const MAX_CURSOR_LENGTH = 512;
const DEFAULT_LIMIT = 20;

/** Query parameters of a list that is read by cursor. */
export const cursorQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: `Items per page; default ${DEFAULT_LIMIT}.` }),
  ),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Alias of limit.' })),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description: '`meta.pagination.next_cursor` of the previous page; omit it for the first page.',
    }),
  ),
};

/** Number of items on a page. @throws ApiError VALIDATION_FAILED if both names of the size are given and differ */
export function limitOfPage({
  limit,
  page_size,
}: {
  readonly limit?: number | undefined;
  readonly page_size?: number | undefined;
}): number {
  if (limit !== undefined && page_size !== undefined && limit !== page_size) {
    throw fieldError('page_size', 'conflict', 'is an alias of limit, which has another value');
  }
  return limit ?? page_size ?? DEFAULT_LIMIT;
}

/** List that is read by cursor: `P` is the sort position of an item. */
export interface CursorList<P> {
  /**
   * Position where the page begins, or null for the first page.
   * @throws ApiError VALIDATION_FAILED if it is not a cursor of this list
   */
  parse(cursor: string | undefined): P | null;
  /**
   * Creates a page from up to `limit` + 1 rows, of which the last only shows that there are more. `positionOf` returns
   * the sort position of a row. `isCut`: true if there are more although the rows are fewer, because they are large.
   */
  page<R>(
    rows: readonly R[],
    limit: number,
    positionOf: (row: R) => P,
    isCut?: boolean,
  ): { items: R[]; pagination: Pagination };
}

/** Describes a list by its name, which its cursors carry, and the schema of its positions. */
export function cursorList<S extends TSchema>(name: string, position: S): CursorList<Static<S>> {
  const check = compileSchema<TSchema>(
    Type.Object(
      { v: Type.Literal(VERSION), list: Type.Literal(name), after: position },
      { additionalProperties: false },
    ),
  );
  return {
    parse(cursor) {
      if (cursor === undefined) return null;
      const checked = check(decode(cursor));
      if (!checked.ok) throw noCursor();
      return (checked.value as { readonly after: Static<S> }).after;
    },
    page(rows, limit, positionOf, isCut = false) {
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const hasMore = (rows.length > limit || isCut) && last !== undefined;
      const next = hasMore ? encode({ v: VERSION, list: name, after: positionOf(last) }) : null;
      return { items, pagination: { page_size: limit, has_more: hasMore, next_cursor: next } };
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Node leaves out what is not base64url: only what it would write itself was written by us. */
function decode(cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor) throw noCursor();
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw noCursor();
  }
}

function noCursor() {
  return fieldError('cursor', 'format', 'is not a cursor of this list');
}
