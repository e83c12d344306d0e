import type { Knex } from 'knex';

/** Adds files that are missing, and notes that all of them were seen. */
export async function keepAssets(
  db: Knex,
  assets: ReadonlyMap<string, { readonly body: Buffer }>,
  at: Date,
): Promise<void> {
  const rows = [...assets].map(([path, { body }]) => ({ path, body, last_seen_at: at }));
  if (rows.length > 0) await db('console_assets').insert(rows).onConflict('path').merge(['last_seen_at']);
}

/** Content of a file; null if no replica served it lately. */
export async function findAsset(db: Knex, path: string): Promise<Buffer | null> {
  const row = await db('console_assets').where({ path }).first<{ body: Buffer } | undefined>('body');
  return row?.body ?? null;
}

export async function deleteAssetsBefore(db: Knex, at: Date): Promise<void> {
  await db('console_assets').where('last_seen_at', '<', at).delete();
}
