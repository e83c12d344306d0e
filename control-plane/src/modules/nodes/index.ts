export type { ActOn } from './acts.js';
export { NodeDirectory } from './directory.js';
export { isVisibleTo, type Node, statusOf } from './node.js';
export type { AdminNode } from './record-view.js';
export { nodeSchemas } from './schema.js';
export { type NodeSelection, spreadGroup, suitableFor } from './selection.js';
