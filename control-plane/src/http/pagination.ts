import { Type } from 'typebox';
import { fieldError } from './errors.js';
import type { Pagination } from './route.js';

const DEFAULT_PAGE_SIZE = 20;

const MAX_PAGE_SIZE = 200;

/** Query parameters of a paged list with pages of at most `maximum` items (API specification 2.1); `pageOf` reads them. */
export function pageQueryUpTo(maximum: number) {
  const pageSize = (description: string) =>
    Type.Optional(Type.Integer({ minimum: 1, maximum, description: `${description}; default ${DEFAULT_PAGE_SIZE}.` }));
  return {
    page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number.' }),
    page_size: pageSize('Items per page'),
    limit: pageSize('Alias of page_size'),
  };
}

/** Query parameters of most paged lists. */
export const pageQuery = pageQueryUpTo(MAX_PAGE_SIZE);

/** Requested part of a list. */
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

/** @throws ApiError VALIDATION_FAILED if both names of the size are given and differ */
export function pageOf({ page, page_size, limit }: PageQuery): Page {
  if (page_size !== undefined && limit !== undefined && page_size !== limit) {
    throw fieldError('limit', 'conflict', 'is an alias of page_size, which has another value');
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
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
    description: 'Greatest number of items to return.',
  }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Number of items to skip.' }),
};

/** Fields next to the items of such a list. */
export const offsetBody = {
  total: Type.Integer({ minimum: 0, description: 'Total number of items.' }),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
};

/** Values of `offsetBody` for a request. */
export function offsetFields({ limit, offset }: { readonly limit: number; readonly offset: number }, total: number) {
  return { total, limit, offset };
}
