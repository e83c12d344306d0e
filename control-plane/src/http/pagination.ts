import { Type } from 'typebox';
import type { Pagination } from './route.js';

/** Query parameters of a paged list (API specification 2.1). */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, default: 1, description: 'Page number.' }),
  page_size: Type.Integer({ minimum: 1, maximum: 200, default: 20, description: 'Items per page.' }),
};

interface PageRequest {
  readonly page: number;
  readonly page_size: number;
}

/** `meta.pagination` of a page out of `total`. */
export function pagination({ page, page_size }: PageRequest, total: number): Pagination {
  return { page, page_size, total, has_more: page * page_size < total };
}

/** One page of a list that is in memory. */
export function paginate<T>(all: readonly T[], request: PageRequest): { items: T[]; pagination: Pagination } {
  const start = (request.page - 1) * request.page_size;
  return { items: all.slice(start, start + request.page_size), pagination: pagination(request, all.length) };
}
