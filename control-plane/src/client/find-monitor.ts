import { idPrefixes, isId } from '@vantage/shared/ids.js';
import type { ApiClient } from './api-client.js';
import { findNamed } from './find-named.js';
import type { Monitor } from './monitors-text.js';

const PAGE_SIZE = 100;

/** All monitors of the caller, page by page. @throws ApiRefusal, ApiUnreachable */
export async function listMonitors(client: ApiClient): Promise<Monitor[]> {
  const all: Monitor[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/v1/monitors?page_size=${PAGE_SIZE}&page=${page}`;
    const { items } = await client.call<{ items: Monitor[] }>('GET', path);
    all.push(...items);
    if (items.length < PAGE_SIZE) return all;
  }
}

/** Monitor that is given by its name or its id. @throws Mistake, ApiRefusal, ApiUnreachable */
export async function findMonitor(client: ApiClient, word: string): Promise<Pick<Monitor, 'id' | 'name'>> {
  if (isId(idPrefixes.monitor, word)) return client.call<Monitor>('GET', `/v1/monitors/${word}`);
  return findNamed(word, 'monitor', await listMonitors(client));
}
