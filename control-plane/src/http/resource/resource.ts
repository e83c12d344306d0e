import type { Clock } from '@vantage/shared/clock.js';
import { type IdPrefix, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type TSchema, Type } from 'typebox';
import type { AuditAction } from '../../audit-log/actions.js';
import { type Actor, actorOf } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { lockOwner, MAX_EXPORTED, type Owner, ownedColumns } from '../../owners/index.js';
import { reserveFixed } from '../../plans/index.js';
import type { ErrorCode } from '../error-table.js';
import { ApiError } from '../errors.js';
import { itemsText } from '../items-text.js';
import { type Page, pageOf, pageQuery, pagination } from '../pagination.js';
import { type Account, type AnyRoute, defineRoute, type Services } from '../route.js';
import type { Scope } from '../scopes.js';
import type { Form, ResourceRow } from './form.js';
import { ResourceStore } from './resource-store.js';

// A resource is a table of rows that each belong to an owner, with five operations: list, create, get, change, delete. This file has what
// these have in common; a resource states its form, its rules and its texts. An operation that differs is a `defineRoute` next to it.

/** Parts that the operations of resources run on. */
export interface ResourceParts {
  readonly db: Knex;
  readonly clock: Clock;
}

declare module '../route.js' {
  interface Services {
    readonly resources: ResourceParts;
  }
}

/** Name in the audit log: `alert_group` for `alert_group.created`. */
type ResourceName = AuditAction extends infer A ? (A extends `${infer N}.created` ? N : never) : never;

/** Operations, as their texts and exceptions are named. */
type Operation = 'list' | 'create' | 'get' | 'change' | 'delete';

/** Caller of an act, and where it came from. */
export interface ResourceAct {
  readonly account: Account;
  readonly actor: Actor;
}

/** Change of a resource that is about to be written. */
export interface Proposal<Body, Row> {
  readonly body: Body;
  /** Null if the resource is new. */
  readonly before: Row | null;
  readonly account: Account;
  readonly nowMs: number;
}

/** Change that was written. */
export interface Changed<Row> {
  readonly ownerId: string;
  /** Null if the resource is new. */
  readonly before: Row | null;
  /** Null if the resource is deleted. */
  readonly after: Row | null;
}

interface ResourceDefinition<Columns extends object, Body extends object, Extra extends object> {
  readonly name: ResourceName;
  /** Name in identifiers of operations: `AlertGroup`, and `AlertGroups` for the list. */
  readonly operation: string;
  /** In summaries: `alert group`, `alert groups`. */
  readonly words: readonly [one: string, many: string];
  readonly path: string;
  readonly tag: string;
  readonly scopes: { readonly read: Scope; readonly write: Scope };
  readonly table: string;
  readonly idPrefix: IdPrefix;
  readonly form: Form<Columns, Body>;
  /** Columns in addition to those of the form, which the resource's `rules` or others write. */
  readonly extraColumns?: readonly (keyof Extra & string)[];
  /** `updated_at` is a column of the table; default: true. */
  readonly hasUpdatedAt?: boolean;
  /** Default: the newest first. */
  readonly orderBy?: string;
  /** Greatest number of an owner, and the field that a refusal names. `count`: those that count; default: all. */
  readonly cap: {
    readonly most: number;
    readonly field: string;
    count?(trx: Knex, ownerId: string, nowMs: number): Promise<number>;
  };
  readonly notFound: ErrorCode;
  /** Query parameters of the list, and the SQL condition of each that is sent, in which `:now` is the instant. */
  readonly filters?: Readonly<
    Record<string, { readonly schema: TSchema; readonly where: Readonly<Record<string, string>> }>
  >;
  readonly texts: Readonly<Partial<Record<Operation, string>>>;
  readonly examples: { readonly create: object; readonly change: object };
  /** Codes that operations may answer in addition to VALIDATION_FAILED and `notFound`. */
  readonly errors?: Readonly<Partial<Record<Operation, readonly ErrorCode[]>>>;
  /** Facts for the audit log. */
  audited(columns: Columns): Readonly<Record<string, unknown>>;
  /** Checks what only the database knows, and returns further columns, in the transaction of the change. @throws ApiError */
  rules?(
    trx: Knex,
    columns: Columns,
    proposal: Proposal<Body, ResourceRow & Columns & Extra>,
  ): Promise<Partial<Extra> | undefined>;
  /** Does what a change entails, in its transaction. */
  after?(trx: Knex, change: Changed<ResourceRow & Columns & Extra>): Promise<void>;
  /** Called when a change is committed. */
  onCommitted?(services: Services): void;
}

/** A resource: its operations, and what other code may do with its rows. */
export class Resource<Columns extends object, Body extends object, Extra extends object> {
  readonly store: ResourceStore<ResourceRow & Columns & Extra>;
  readonly routes: Readonly<Record<Operation, AnyRoute>>;

  constructor(readonly definition: ResourceDefinition<Columns, Body, Extra>) {
    const { table, form, extraColumns = [], hasUpdatedAt = true, orderBy = 'id DESC' } = definition;
    const owned = ['id', 'owner_id', 'created_by', 'is_test'];
    const times = hasUpdatedAt ? ['created_at', 'updated_at'] : ['created_at'];
    const columns = [...owned, ...form.columns, ...extraColumns, ...times];
    this.store = new ResourceStore({ name: table, columns, hasUpdatedAt, orderBy });
    this.routes = this.#routes();
  }

  /** All resources of an owner as the API shows them, at most `MAX_EXPORTED`. */
  async exportOf(db: Knex, owner: Owner, nowMs: number): Promise<object[]> {
    const page = { limit: MAX_EXPORTED, offset: 0 };
    const { rows } = await this.store.list(db, owner, page, { filter: '', values: {} });
    return rows.map((row) => this.definition.form.view(row, nowMs));
  }

  /** Creates a resource of the caller, whose owner is locked from then on. @throws ApiError VALIDATION_FAILED, ACCOUNT_DELETED */
  async create(
    trx: Knex,
    body: Body,
    { account, actor }: ResourceAct,
    nowMs: number,
  ): Promise<ResourceRow & Columns & Extra> {
    const { cap, form, idPrefix, rules, after, audited } = this.definition;
    const owner = await lockOwner(trx, account.owner);
    const count = (trx: Knex, ownerId: string) => cap.count?.(trx, ownerId, nowMs) ?? this.store.count(trx, ownerId);
    await reserveFixed(trx, owner, { ...cap, count }, nowMs);
    const columns = form.columnsOf(body, { before: null, timezone: owner.timezone ?? 'UTC', nowMs });
    const extra = await rules?.(trx, columns, { body, before: null, account, nowMs });
    const written = { id: newId(idPrefix, nowMs), ...ownedColumns(account), ...columns, ...extra };
    const row = await this.store.insert(trx, written, new Date(nowMs));
    await this.record(trx, row.id, 'created', { actor, ownerId: row.owner_id }, audited(columns));
    await after?.(trx, { ownerId: row.owner_id, before: null, after: row });
    return row;
  }

  /** Row of the caller, locked until the transaction ends. @throws ApiError `notFound` */
  async lock(trx: Knex, id: string, { owner }: Account): Promise<ResourceRow & Columns & Extra> {
    return this.#found(await this.store.lock(trx, id, owner));
  }

  /** Writes a line of the audit log. */
  async record(
    trx: Knex,
    subject: string,
    act: string,
    { actor, ownerId }: { readonly actor: Actor; readonly ownerId: string },
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const action = `${this.definition.name}.${act}` as AuditAction;
    await insertAuditEntry(trx, { actor, accountId: ownerId, subject, action, details });
  }

  /**
   * Deletes all resources of an owner who stays, each with a line in the audit log, in the caller's transaction.
   * @returns the rows that are gone
   */
  async revokeOf(
    trx: Knex,
    ownerId: string,
    { actor, reason }: { readonly actor: Actor; readonly reason: string },
  ): Promise<readonly (ResourceRow & Columns & Extra)[]> {
    const rows = await this.store.lockOf(trx, ownerId);
    for (const row of rows) {
      await this.store.delete(trx, row);
      await this.record(trx, row.id, 'deleted', { actor, ownerId }, { reason });
      await this.definition.after?.(trx, { ownerId, before: row, after: null });
    }
    return rows;
  }

  /** Changes the given fields only. @throws ApiError `notFound`, VALIDATION_FAILED */
  async change(
    trx: Knex,
    id: string,
    body: Body,
    act: ResourceAct,
    nowMs: number,
  ): Promise<ResourceRow & Columns & Extra> {
    const { form, rules, after } = this.definition;
    const before = await this.lock(trx, id, act.account);
    const columns = form.columnsOf(body, { before, timezone: 'UTC', nowMs });
    const extra = await rules?.(trx, columns, { body, before, account: act.account, nowMs });
    const row = await this.store.update(trx, before, { ...columns, ...extra }, new Date(nowMs));
    const about = { actor: act.actor, ownerId: row.owner_id };
    await this.record(trx, id, 'changed', about, { fields: Object.keys(body) });
    await after?.(trx, { ownerId: row.owner_id, before, after: row });
    return row;
  }

  /** @throws ApiError `notFound` */
  async delete(trx: Knex, id: string, act: ResourceAct): Promise<void> {
    const { after, audited } = this.definition;
    const before = await this.lock(trx, id, act.account);
    await this.store.delete(trx, before);
    await this.record(trx, id, 'deleted', { actor: act.actor, ownerId: before.owner_id }, audited(before));
    await after?.(trx, { ownerId: before.owner_id, before, after: null });
  }

  #found<T>(row: T | null): T {
    if (row === null) throw new ApiError(this.definition.notFound);
    return row;
  }

  /** Condition of the filters of a request, and its values. */
  #filterOf(query: Readonly<Record<string, unknown>>, nowMs: number) {
    const conditions = Object.entries(this.definition.filters ?? {}).flatMap(([name, { where }]) => {
      const condition = where[String(query[name])];
      return condition === undefined ? [] : [condition];
    });
    return { filter: conditions.join(' AND '), values: { now: new Date(nowMs) } };
  }

  #routes(): Readonly<Record<Operation, AnyRoute>> {
    const { operation, words, path, tag, scopes, form, notFound, texts, examples, errors, filters } = this.definition;
    const [one, many] = words;
    const article = /^[aeiou]/.test(one) ? 'an' : 'a';
    const reads = { kind: 'scope', scope: scopes.read } as const;
    const writes = { kind: 'scope', scope: scopes.write } as const;
    const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
    const described = (name: Operation) => (texts[name] === undefined ? {} : { description: texts[name] });
    const inTransaction = async <T>(services: Services, work: (trx: Knex) => Promise<T>): Promise<T> => {
      const result = await services.resources.db.transaction(work);
      this.definition.onCommitted?.(services);
      return result;
    };
    const filterSchemas = Object.fromEntries(
      Object.entries(filters ?? {}).map(([name, { schema }]) => [name, Type.Optional(schema)]),
    );
    return {
      list: defineRoute({
        operationId: `list${operation}s`,
        method: 'GET',
        path,
        summary: `List your ${many}`,
        ...described('list'),
        tag,
        auth: reads,
        query: Type.Object({ ...pageQuery, ...filterSchemas }),
        replies: { 200: Type.Object({ items: Type.Array(form.item) }, { additionalProperties: false }) },
        errors: ['VALIDATION_FAILED'],
        handle: async ({ query, account, signal }, { resources: { db, clock } }) => {
          const page: Page = pageOf(query);
          const nowMs = clock.now();
          const { limit, offset } = page;
          const range = { limit, offset };
          const { rows, total } = await this.store.list(db, account.owner, range, this.#filterOf(query, nowMs));
          const data = await itemsText(rows, (row) => form.view(row, nowMs), signal);
          return { status: 200, data, pagination: pagination(page, total) };
        },
      }),
      create: defineRoute({
        operationId: `create${operation}`,
        method: 'POST',
        path,
        summary: `Create ${article} ${one}`,
        ...described('create'),
        tag,
        auth: writes,
        body: form.create,
        bodyExample: examples.create,
        replies: { 201: form.item },
        errors: ['VALIDATION_FAILED', ...(errors?.create ?? [])],
        handle: async (request, services) => {
          const nowMs = services.resources.clock.now();
          const act = { account: request.account, actor: actorOf(request) };
          const row = await inTransaction(services, (trx) => this.create(trx, request.body as Body, act, nowMs));
          return { status: 201, data: form.view(row, nowMs) };
        },
      }),
      get: defineRoute({
        operationId: `get${operation}`,
        method: 'GET',
        path: `${path}/{id}`,
        summary: `Get ${article} ${one}`,
        ...described('get'),
        tag,
        auth: reads,
        params,
        replies: { 200: form.item },
        errors: [notFound],
        handle: async ({ params: { id }, account }, { resources: { db, clock } }) => {
          const row = this.#found(await this.store.find(db, id, account.owner));
          return { status: 200, data: form.view(row, clock.now()) };
        },
      }),
      change: defineRoute({
        operationId: `change${operation}`,
        method: 'PATCH',
        path: `${path}/{id}`,
        summary: `Update ${article} ${one}`,
        ...described('change'),
        tag,
        auth: writes,
        params,
        body: form.change,
        bodyExample: examples.change,
        replies: { 200: form.item },
        errors: ['VALIDATION_FAILED', notFound, ...(errors?.change ?? [])],
        handle: async (request, services) => {
          const nowMs = services.resources.clock.now();
          const act = { account: request.account, actor: actorOf(request) };
          const row = await inTransaction(services, (trx) =>
            this.change(trx, request.params.id, request.body as Body, act, nowMs),
          );
          return { status: 200, data: form.view(row, nowMs) };
        },
      }),
      delete: defineRoute({
        operationId: `delete${operation}`,
        method: 'DELETE',
        path: `${path}/{id}`,
        summary: `Delete ${article} ${one}`,
        ...described('delete'),
        tag,
        auth: writes,
        params,
        replies: { 200: Type.Null() },
        errors: [notFound],
        handle: async (request, services) => {
          const act = { account: request.account, actor: actorOf(request) };
          await inTransaction(services, (trx) => this.delete(trx, request.params.id, act));
          return { status: 200, data: null };
        },
      }),
    };
  }
}

/** Describes a resource. */
export function resource<Columns extends object, Body extends object, Extra extends object = object>(
  definition: ResourceDefinition<Columns, Body, Extra>,
): Resource<Columns, Body, Extra> {
  return new Resource(definition);
}
