import { defineWebhookKind } from './kind.js';
import { exampleNode, NodeData, ThinNode, thinNode } from './parts.js';

/** node.banned */
export const nodeBanned = defineWebhookKind<'node.banned', typeof NodeData>({
  summary: 'One of your nodes was banned.',
  subject: 'node',
  full: NodeData,
  thin: ThinNode,
  eventExample: exampleNode,
  example: exampleNode,
  dataOf: ({ payload }) => payload,
  thinOf: thinNode,
});
