import type { listEnrollmentTokens } from '../../../src/modules/nodes/routes/enrollment-tokens.js';
import type { listOwnNodes } from '../../../src/modules/nodes/routes/own-nodes.js';
import { type DataOf, get } from '../../api/call.js';

export type OwnNode = DataOf<typeof listOwnNodes>['items'][number];
export type EnrollmentToken = DataOf<typeof listEnrollmentTokens>['tokens'][number];

const PAGE_SIZE = 200;

/** Nodes of the account, newest first. */
export async function ownNodes(signal: AbortSignal): Promise<readonly OwnNode[]> {
  const nodes: OwnNode[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, page_size: PAGE_SIZE };
    const { data } = await get<typeof listOwnNodes>('/v1/account/nodes', { query, signal });
    nodes.push(...data.items);
    if (data.items.length < PAGE_SIZE) return nodes;
  }
}

/** Enrollment tokens of the account, the last ones. */
export async function enrollmentTokens(signal: AbortSignal): Promise<readonly EnrollmentToken[]> {
  const query = { page_size: PAGE_SIZE };
  return (await get<typeof listEnrollmentTokens>('/v1/nodes/enrollment-tokens', { query, signal })).data.tokens;
}
