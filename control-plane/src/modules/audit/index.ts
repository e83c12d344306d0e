import type { Clock } from '@vantage/shared/clock.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type Static, Type } from 'typebox';
import { cursorList, limitOfPage } from '../../http/cursor.js';
import type { Pagination } from '../../http/route.js';
import { timeRangeOf } from '../../http/time-range.js';
import type { AuditSchemas } from './schema.js';
import { type AuditFilter, deleteAuditRowsBefore, listAuditRows } from './store.js';
import { type AuditItem, entryView, ownEntryView } from './view.js';

/** One page of the log. */
export interface AuditPage {
  readonly items: AuditItem[];
  readonly pagination: Pagination;
}

/** Filter and page of a query for entries. */
export type AuditRequest = Static<AuditSchemas['query']>;

/** Days that entries are kept: a year, and the time that an audit of it takes. */
const KEPT_DAYS = 400;
const DAY_MS = 24 * 3_600_000;

const list = cursorList('audit', Type.String({ pattern: idPattern(idPrefixes.auditEntry) }));

/** Reads the log of security-relevant acts, newest first; `insertAuditEntry` writes it. */
export class Audit {
  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  /** Lists the entries of one account, as it may see them. @throws ApiError VALIDATION_FAILED for an invalid cursor or range */
  async listOwn(accountId: string, request: AuditRequest): Promise<AuditPage> {
    const { items, pagination } = await this.#list({ accountId }, request);
    return { items: items.map(ownEntryView), pagination };
  }

  /** Lists the entries of one account; undefined for those of all accounts and of the installation. @throws ApiError as listOwn */
  async listAll(accountId: string | undefined, request: AuditRequest): Promise<AuditPage> {
    const { items, pagination } = await this.#list({ accountId }, request);
    return { items: items.map(entryView), pagination };
  }

  /** Lists the entries about one subject, by its id. @throws ApiError as listOwn */
  async listOf(subject: string, request: AuditRequest): Promise<AuditPage> {
    const { items, pagination } = await this.#list({ subject }, request);
    return { items: items.map(entryView), pagination };
  }

  /** Deletes entries that are older than 400 days. */
  deleteOutdated(): Promise<void> {
    return deleteAuditRowsBefore(this.db, new Date(this.clock.now() - KEPT_DAYS * DAY_MS));
  }

  async #list(of: Pick<AuditFilter, 'accountId' | 'subject'>, request: AuditRequest) {
    const { cursor, action } = request;
    const limit = limitOfPage(request);
    const filter = { ...timeRangeOf(request, this.clock.now()), ...of, action, beforeId: list.parse(cursor) };
    return list.page(await listAuditRows(this.db, filter, limit + 1), limit, ({ id }) => id);
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly audit: Audit;
  }
}
