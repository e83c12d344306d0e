import { defineWebhookKind } from './kind.js';
import { exampleNode, NodeData, ThinNode, thinNode } from './parts.js';

/** node.unhealthy */
export const nodeUnhealthy = defineWebhookKind<'node.unhealthy', typeof NodeData>({
  summary: 'One of your nodes lost its own network, so its checks do not count.',
  subject: 'node',
  full: NodeData,
  thin: ThinNode,
  eventExample: exampleNode,
  example: exampleNode,
  dataOf: ({ payload }) => payload,
  thinOf: thinNode,
});
