import { Type } from 'typebox';
import { fieldError } from './errors.js';
import type { Pagination } from './route.js';

const DEFAULT_PAGE_SIZE = 20;

const pageSize = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: `${description}; default ${DEFAULT_PAGE_SIZE}.` }),
  );

/** Query parameters of a paged list (API specification 2.1); `pageOf` reads them. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number.' }),
  page_size: pageSize('Items per page'),
  limit: pageSize('Another name of page_size'),
};

/** The part of a list that was asked for. */
export interface Page {
  readonly number: number;
  /** Items on it at most. */
  readonly limit: number;
  /** Items before it. */
  readonly offset: number;
}

interface PageQuery {
  readonly page: number;
  readonly page_size?: number;
  readonly limit?: number;
}

/** @throws ApiError VALIDATION_FAILED when both names of the size are given and differ */
export function pageOf({ page, page_size, limit }: PageQuery): Page {
  if (page_size !== undefined && limit !== undefined && page_size !== limit) {
    throw fieldError('limit', 'conflict', 'is another name of page_size, which says otherwise');
  }
  const size = page_size ?? limit ?? DEFAULT_PAGE_SIZE;
  return { number: page, limit: size, offset: (page - 1) * size };
}

/** `meta.pagination` of a page out of `total`. */
export function pagination({ number, limit, offset }: Page, total: number): Pagination {
  return { page: number, page_size: limit, total, has_more: offset + limit < total };
}

/** One page of a list that is in memory. */
export function paginate<T>(all: readonly T[], page: Page): { items: T[]; pagination: Pagination } {
  const items = all.slice(page.offset, page.offset + page.limit);
  return { items, pagination: pagination(page, all.length) };
}

/** Query parameters of a list that is read by offset; `offsetBody` goes into its schema, `offsetFields` into its body. */
export const offsetQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_PAGE_SIZE, description: 'Items at most.' }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Items to leave out first.' }),
};

/** What stands beside the items of such a list. */
export const offsetBody = {
  total: Type.Integer({ minimum: 0, description: 'Items there are.' }),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
};

/** The values of `offsetBody` for what was asked for. */
export function offsetFields({ limit, offset }: { readonly limit: number; readonly offset: number }, total: number) {
  return { total, limit, offset };
}
