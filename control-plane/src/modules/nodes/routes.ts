import type { AnyRoute } from '../../http/route.js';
import { adminActs } from './routes/admin-acts.js';
import { enrollNode } from './routes/enroll-node.js';
import { createEnrollmentToken, listEnrollmentTokens, revokeEnrollmentToken } from './routes/enrollment-tokens.js';
import { getNode } from './routes/get-node.js';
import { listAllNodes } from './routes/list-all-nodes.js';
import { listNodes } from './routes/list-nodes.js';
import { changeOwnNode, deleteOwnNode, listOwnNodes, rotateNodeKey } from './routes/own-nodes.js';
import { settleLocation } from './routes/settle-location.js';

/** All operations on nodes and their enrollment. */
export const nodeRoutes: readonly AnyRoute[] = [
  listNodes,
  createEnrollmentToken,
  listEnrollmentTokens,
  revokeEnrollmentToken,
  enrollNode,
  getNode,
  listOwnNodes,
  changeOwnNode,
  deleteOwnNode,
  rotateNodeKey,
  listAllNodes,
  ...adminActs,
  settleLocation,
];
