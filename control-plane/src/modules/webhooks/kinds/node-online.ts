import { defineNodeKind } from './families.js';

/** node.online */
export const nodeOnline = defineNodeKind('One of your nodes is connected again.');
