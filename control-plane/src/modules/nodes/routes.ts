import type { AnyRoute } from '../../http/route.js';
import { banNode, unbanNode } from './routes/ban-node.js';
import { enrollNode } from './routes/enroll-node.js';
import { createEnrollmentToken, listEnrollmentTokens, revokeEnrollmentToken } from './routes/enrollment-tokens.js';
import { getNode } from './routes/get-node.js';
import { listNodes } from './routes/list-nodes.js';

/** Every operation on nodes and their enrollment. */
export const nodeRoutes: readonly AnyRoute[] = [
  listNodes,
  createEnrollmentToken,
  listEnrollmentTokens,
  revokeEnrollmentToken,
  enrollNode,
  getNode,
  banNode,
  unbanNode,
];
