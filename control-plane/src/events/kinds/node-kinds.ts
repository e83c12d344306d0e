import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { defineKind, instant, record } from './kind.js';

const ofNode = defineKind(
  'node',
  record({
    node: record({ id: Type.String(), name: Type.String() }),
    reason: nullable(Type.String(), 'none is known'),
    since: instant,
  }),
);

/** Kinds of events whose subject is a node. */
export const nodeKinds = {
  'node.unhealthy': ofNode,
  'node.online': ofNode,
  /** Published after a minute without a link. */
  'node.offline': ofNode,
  /** By an administrator, or by the program: a quarantine. */
  'node.banned': ofNode,
} as const;
