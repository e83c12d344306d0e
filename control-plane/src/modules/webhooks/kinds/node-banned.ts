import { defineNodeKind } from './families.js';

/** node.banned */
export const nodeBanned = defineNodeKind('One of your nodes was banned.');
