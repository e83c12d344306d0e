/** Kinds of owners: a person alone, or a team. They share one space of ids. */
export const ownerKinds = ['user', 'team'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/** Owner of the rows that a request reads and creates. */
export interface Owner {
  readonly kind: OwnerKind;
  readonly id: string;
  /** True for a request with a test key: of tables with `is_test` it sees only rows that test keys created. */
  readonly isTest: boolean;
}

/** Owner that stands for a user. */
export function personalOwner(userId: string): Owner {
  return { kind: 'user', id: userId, isTest: false };
}

/**
 * SQL condition on the rows of an owned table that a request may read. `table` is its name in the query, where that has several;
 * `ownerId` is the place of the owner's id: `$1` in a prepared statement.
 */
export function ownedBy({ isTest }: Pick<Owner, 'isTest'>, table?: string, ownerId = ':ownerId'): string {
  return isTest ? `${ofOwner(table, ownerId)} AND ${columnOf('is_test', table)}` : ofOwner(table, ownerId);
}

/** SQL condition for a table without `is_test`, and wherever rows of all keys count. */
export function ofOwner(table?: string, ownerId = ':ownerId'): string {
  return `${columnOf('owner_id', table)} = ${ownerId}`;
}

/** Columns with the owner and the creator of a new row. */
export function ownedColumns({ owner, createdBy }: { readonly owner: Owner; readonly createdBy: string }) {
  return { owner_id: owner.id, created_by: createdBy, is_test: owner.isTest };
}

/** SQL that is true if the owner of a row is an administrator who may sign in. `table`: its name in the query. */
export function ownerIsAdmin(table: string): string {
  return `coalesce((SELECT role = 'admin' AND disabled_at IS NULL AND deleting_at IS NULL AND deleted_at IS NULL FROM users WHERE users.id = ${table}.owner_id), false)`;
}

function columnOf(column: string, table: string | undefined): string {
  return table === undefined ? column : `${table}.${column}`;
}
