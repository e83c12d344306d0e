import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0018-webhook-tests';

const AT_ONCE = 500;

/** Tests of webhook endpoints were stored with the whole row of the endpoint, its sealed secrets included: its id and address stay. */
export async function up(trx: Knex.Transaction): Promise<void> {
  for (let last = ''; ; ) {
    const rows: { id: string; data: Buffer }[] = await trx('webhook_events')
      .where('kind', 'webhook.test')
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .select('id', 'data');
    for (const { id, data } of rows) {
      const stored = JSON.parse(inflateRawSync(data).toString());
      const endpoint = { id: stored.endpoint.id, url: stored.endpoint.url };
      await trx('webhook_events')
        .where({ id })
        .update({ data: deflateRawSync(JSON.stringify({ ...stored, endpoint })) });
    }
    if (rows.length < AT_ONCE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
