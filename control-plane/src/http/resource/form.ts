import type { IdPrefix } from '@vantage/shared/ids.js';
import { idPattern } from '@vantage/shared/ids.js';
import { type Static, type TSchema, Type } from 'typebox';
import { fieldError } from '../errors.js';
import { IsTestSchema } from '../is-test.js';

/** Columns of every resource. */
export interface ResourceRow {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly created_at: Date;
}

/** Field that the owner of a resource decides: name in bodies and of its column. `Given`: in bodies. `Stored`: in its column. */
export interface Field<Given = unknown, Stored = unknown> {
  readonly schema: TSchema;
  /** Schema in responses; default: `schema`. */
  readonly shown?: TSchema;
  /** Value of a new resource whose body lacks the field; without one, the field is required. */
  readonly initial?: Given;
  /** Value of the column. @throws ApiError VALIDATION_FAILED about the field */
  store(given: Given, name: string): Stored;
}

/** Field that is stored as it is given; required unless it has an `initial` value. */
export function field<S extends TSchema>(
  schema: S,
  options: { readonly initial?: Static<S>; readonly shown?: TSchema } = {},
): Field<Static<S>, Static<S>> {
  return { schema, ...options, store: (given) => given };
}

/** Required text of 1 to `max` characters, stored without blanks around it. */
export function text({
  max,
  shown,
  ...notes
}: {
  readonly max: number;
  readonly example: string;
  readonly shown?: TSchema;
}): Field<string, string> {
  const schema = Type.String({ minLength: 1, maxLength: max, pattern: '\\S', ...notes });
  return { schema, ...(shown === undefined ? {} : { shown }), store: (given) => given.trim() };
}

/** Parses an instant of a body; the schema admits leap seconds (RFC 3339), which JavaScript does not have. */
export function parseInstant(name: string, given: string): Date {
  const at = new Date(given);
  if (Number.isNaN(at.getTime())) throw fieldError(name, 'format', 'must be a date and time without a leap second');
  return at;
}

export type Fields = Readonly<Record<string, Field>>;
/** Columns of the fields. */
export type Stored<F extends Fields> = { readonly [N in keyof F]: ReturnType<F[N]['store']> };
/** Fields as a body has them: a new resource those that are required, a change any. */
export type Given<F extends Fields> = { readonly [N in keyof F]?: Parameters<F[N]['store']>[0] };

/** Circumstances in which a body becomes columns. */
export interface Settling<Columns> {
  /** Columns so far; null if the resource is new. */
  readonly before: Columns | null;
  /** Time zone of the owner of a new resource. */
  readonly timezone: string;
  readonly nowMs: number;
}

/** Bodies of a resource: their schemas, and the way from a body to columns and back. */
export interface Form<Columns extends object, Body extends object> {
  readonly item: TSchema;
  readonly create: TSchema;
  readonly change: TSchema;
  /** Names of the columns that it writes, `created_at` and those of the owner not among them. */
  readonly columns: readonly string[];
  /** Columns after `body` was applied to the previous ones. @throws ApiError VALIDATION_FAILED */
  columnsOf(body: Body, settling: Settling<Columns>): Columns;
  /** Resource as the API shows it. */
  view(row: ResourceRow & Columns, nowMs: number): object;
}

interface FormOptions {
  /** Name of the schema of responses: `AlertGroup`. */
  readonly title: string;
  readonly idPrefix: IdPrefix;
  /** True if responses show when a resource was last changed. */
  readonly hasUpdatedAt?: true;
}

/** Settles fields that depend on each other. @throws ApiError VALIDATION_FAILED */
type Settle<C> = (columns: C) => C;

const Instant = Type.String({ format: 'date-time' });
const closed = { additionalProperties: false } as const;

/** Form of a resource whose fields are stored and shown one by one. */
export function formOf<const F extends Fields>(
  { title, idPrefix, hasUpdatedAt }: FormOptions,
  fields: F,
  settle: Settle<Stored<F>> = (columns) => columns,
): Form<Stored<F>, Given<F>> & { view(row: ResourceRow): object } {
  const schemas = (schemaOf: (field: Field) => TSchema) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]));
  return {
    item: Type.Object(
      {
        id: Type.String({ pattern: idPattern(idPrefix) }),
        user_id: Type.String(),
        is_test: IsTestSchema,
        ...schemas(({ schema, shown = schema }) => shown),
        created_at: Instant,
        ...(hasUpdatedAt ? { updated_at: Instant } : {}),
      },
      { ...closed, title },
    ),
    create: Type.Object(
      schemas(({ schema, initial }) => (initial === undefined ? schema : Type.Optional(schema))),
      { ...closed, title: `${title}Create` },
    ),
    change: Type.Object(
      schemas(({ schema }) => Type.Optional(schema)),
      { ...closed, minProperties: 1, title: `${title}Change` },
    ),
    columns: Object.keys(fields),
    columnsOf: (body, { before }) => {
      const columnOf = ([name, { store, initial }]: [string, Field]) => {
        const given = (body as Record<string, unknown>)[name];
        if (given !== undefined) return store(given, name);
        return before === null ? store(initial, name) : before[name];
      };
      const columns = Object.fromEntries(Object.entries(fields).map((entry) => [entry[0], columnOf(entry)]));
      return settle(columns as Stored<F>);
    },
    view: (row) => viewOf(row, [...Object.keys(fields), 'created_at', ...(hasUpdatedAt ? ['updated_at'] : [])]),
  };
}

/** Fields of every resource, then the named columns, instants as text. */
export function viewOf(row: ResourceRow & object, names: readonly string[]): object {
  const columns = row as unknown as Readonly<Record<string, unknown>>;
  const shown: Record<string, unknown> = { id: row.id, user_id: row.created_by, is_test: row.is_test };
  for (const name of names) {
    const value = columns[name];
    shown[name] = value instanceof Date ? value.toISOString() : value;
  }
  return shown;
}
