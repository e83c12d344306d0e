import { defineWebhookKind } from './kind.js';
import { exampleNode, NodeData, ThinNode, thinNode } from './parts.js';

/** node.online */
export const nodeOnline = defineWebhookKind<'node.online', typeof NodeData>({
  summary: 'One of your nodes is connected again.',
  subject: 'node',
  full: NodeData,
  thin: ThinNode,
  eventExample: exampleNode,
  example: exampleNode,
  dataOf: ({ payload }) => payload,
  thinOf: thinNode,
});
