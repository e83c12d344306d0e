import { defineNodeKind } from './families.js';

/** node.offline */
export const nodeOffline = defineNodeKind('One of your nodes has had no connection for a minute.');
