import { defineWebhookKind } from './kind.js';
import { exampleNode, NodeData, ThinNode, thinNode } from './parts.js';

/** node.offline */
export const nodeOffline = defineWebhookKind<'node.offline', typeof NodeData>({
  summary: 'One of your nodes has had no connection for a minute.',
  subject: 'node',
  full: NodeData,
  thin: ThinNode,
  eventExample: exampleNode,
  example: exampleNode,
  dataOf: ({ payload }) => payload,
  thinOf: thinNode,
});
