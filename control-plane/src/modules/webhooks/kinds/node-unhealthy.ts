import { defineNodeKind } from './families.js';

/** node.unhealthy */
export const nodeUnhealthy = defineNodeKind('One of your nodes lost its own network, so its checks do not count.');
