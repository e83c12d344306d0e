import type { Knex } from 'knex';
import { type CountedPage, type NamedValues, type PageRange, queryNamed, queryPage } from '../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../owners/index.js';
import type { ResourceRow } from './form.js';

export interface ResourceTable {
  readonly name: string;
  /** All columns that are read: a prepared statement must not have another result after a migration. */
  readonly columns: readonly string[];
  readonly hasUpdatedAt: boolean;
  readonly orderBy: string;
}

type RowKey = Pick<ResourceRow, 'id' | 'owner_id'>;

/** Rows of one table. `Row`: as the table has them. */
export class ResourceStore<Row extends ResourceRow> {
  constructor(private readonly table: ResourceTable) {}

  /** Number of rows of an owner. */
  async count(trx: Knex, ownerId: string): Promise<number> {
    const [row] = await trx(this.table.name).where({ owner_id: ownerId }).count({ count: '*' });
    return Number(row?.['count'] ?? 0);
  }

  async insert(trx: Knex, columns: object, at: Date): Promise<Row> {
    const { name, hasUpdatedAt } = this.table;
    const times = { created_at: at, ...(hasUpdatedAt ? { updated_at: at } : {}) };
    const [row] = await trx(name)
      .insert({ ...columns, ...times })
      .returning('*');
    return row as Row;
  }

  async update(trx: Knex, { id, owner_id }: RowKey, columns: object, at: Date): Promise<Row> {
    const { name, hasUpdatedAt } = this.table;
    const [row] = await trx(name)
      .where({ id, owner_id })
      .update({ ...columns, ...(hasUpdatedAt ? { updated_at: at } : {}) })
      .returning('*');
    return row as Row;
  }

  async delete(trx: Knex, { id, owner_id }: RowKey): Promise<void> {
    await trx(this.table.name).where({ id, owner_id }).delete();
  }

  /** Row of an owner, or null. */
  async find(db: Knex, id: string, owner: Owner): Promise<Row | null> {
    const [row] = await this.#read(db, 'one', `id = :id AND ${ownedBy(owner)}`, { id, ownerId: owner.id });
    return row ?? null;
  }

  /** Same as `find`, locked until the transaction ends. */
  async lock(trx: Knex, id: string, owner: Owner): Promise<Row | null> {
    const where = `id = :id AND ${ownedBy(owner)} FOR UPDATE`;
    const [row] = await this.#read(trx, 'lock', where, { id, ownerId: owner.id });
    return row ?? null;
  }

  /** Page of an owner's rows, and the number of all. `filter`: SQL with the names of `values`; empty: all rows. */
  list(
    db: Knex,
    owner: Owner,
    page: PageRange,
    { filter, values }: { readonly filter: string; readonly values: NamedValues },
  ): Promise<CountedPage<Row>> {
    const { name, columns, orderBy } = this.table;
    const where = filter === '' ? ownedBy(owner) : `${ownedBy(owner)} AND ${filter}`;
    const query = { name, columns: columns.join(', '), from: name, where, orderBy };
    return queryPage<Row>(db, query, { ...values, ownerId: owner.id, ...page });
  }

  /** All rows of several owners, oldest first. */
  readOf(db: Knex, ownerIds: readonly string[]): Promise<Row[]> {
    return this.#read(db, 'of', 'owner_id = ANY(:ownerIds) ORDER BY created_at, id', { ownerIds: [...ownerIds] });
  }

  /** All rows of an owner, oldest first, locked until the transaction ends. */
  lockOf(trx: Knex, ownerId: string): Promise<Row[]> {
    return this.#read(trx, 'lock-of', `${ofOwner()} ORDER BY id FOR UPDATE`, { ownerId });
  }

  /** Deletes all rows of an owner. */
  async deleteOf(trx: Knex, ownerId: string): Promise<void> {
    await trx(this.table.name).where({ owner_id: ownerId }).delete();
  }

  #read(db: Knex, statement: string, where: string, values: NamedValues): Promise<Row[]> {
    const { name, columns } = this.table;
    const sql = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${where}`;
    return queryNamed<Row>(db, `${name}-${statement}`, sql, values);
  }
}
