import type { Static } from 'typebox';
import type { nodeSchemas } from '../modules/nodes/index.js';
import type { ApiClient } from './api-client.js';

/** A node as the API lists it. */
export type NodeRecord = Static<typeof nodeSchemas.node>;

const PAGE_SIZE = 200;

/** All nodes that the caller can use, page by page. @throws ApiRefusal, ApiUnreachable */
export async function listNodes(client: ApiClient): Promise<NodeRecord[]> {
  const all: NodeRecord[] = [];
  for (let page = 1; ; page += 1) {
    const { items } = await client.call<{ items: NodeRecord[] }>(
      'GET',
      `/v1/nodes?page_size=${PAGE_SIZE}&page=${page}`,
    );
    all.push(...items);
    if (items.length < PAGE_SIZE) return all;
  }
}

/** Names of the nodes that the caller can use, by id. @throws ApiRefusal, ApiUnreachable */
export async function readNames(client: ApiClient): Promise<(nodeId: string) => string | null> {
  const names = new Map((await listNodes(client)).map(({ id, name }) => [id, name]));
  return (nodeId) => names.get(nodeId) ?? null;
}
