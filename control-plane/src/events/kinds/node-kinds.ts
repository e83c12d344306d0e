import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineKind, instant, open, record } from './kind.js';
import { id, instantOf, nodeId } from './parts.js';

const NodeData = open({
  node: open({ id: id(nodeId), name: Type.String() }),
  reason: nullable(Type.String(), 'Reason; null: none is known.'),
  since: instantOf('Start of this state.'),
});

const example = { node: { id: nodeId, name: 'fra-1' }, reason: null, since: '2026-11-21T09:16:00.000Z' };

function ofNode(summary: string) {
  const payload = record({
    node: record({ id: Type.String(), name: Type.String() }),
    reason: nullable(Type.String(), 'none is known'),
    since: instant,
  });
  return defineKind('node', payload, {
    summary,
    full: NodeData,
    thin: open({ node_id: id(nodeId) }),
    eventExample: example,
    example,
    dataOf: (payload) => payload,
    thinOf: ({ node }) => ({ node_id: node.id }),
  });
}

/** Kinds of events whose subject is a node. */
export const nodeKinds = {
  'node.unhealthy': ofNode('One of your nodes lost its own network, so its checks do not count.'),
  'node.online': ofNode('One of your nodes is connected again.'),
  'node.offline': ofNode('One of your nodes has had no connection for a minute.'),
  /** By an administrator, or by the program: a quarantine. */
  'node.banned': ofNode('One of your nodes was banned.'),
} as const;
