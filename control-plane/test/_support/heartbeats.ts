import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import type { ApiAnswer, TestApi } from './stack.js';

let number = 0;

/** Creates a heartbeat monitor with a name of its own, and returns the body of the response. */
export async function aHeartbeat(api: TestApi, fields: object = {}): Promise<ApiAnswer['body']> {
  const { status, body } = await api.call('POST', '/v1/monitors', {
    body: { name: `Backup ${(number += 1)}`, type: 'heartbeat', ...fields },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Checks in. @throws Error unless the response is OK */
export async function ping(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (text !== 'OK') throw new Error(`answered ${response.status}: ${text}`);
}

/** Reads the current monitor. */
export async function read(api: TestApi, id: string): Promise<ApiAnswer['body']> {
  return (await api.call('GET', `/v1/monitors/${id}`)).body.data;
}

/** Reads its events, the newest first. */
export async function eventsOf(api: TestApi, id: string): Promise<ApiAnswer['body']> {
  return (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items;
}

/** Waits until the monitor has a status. */
export async function becomes(api: TestApi, id: string, current: string): Promise<void> {
  await until(`${id} to be ${current}`, async () => (await read(api, id)).current_status === current);
}

/** Its stored pings, the oldest first. */
export function pingsOf(db: Knex, id: string): Knex.QueryBuilder {
  return db('heartbeat_pings')
    .where({ monitor_key: db('monitors').select('key').where({ id }) })
    .orderBy('seq');
}
