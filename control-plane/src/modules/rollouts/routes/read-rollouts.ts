import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { RolloutNodeSchema, RolloutNodeStateSchema, RolloutSchema } from '../schema.js';
import { rolloutNodeView, rolloutView } from '../view.js';

const tag = 'Administration';
const auth = { kind: 'admin' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const listRollouts = defineRoute({
  operationId: 'listRollouts',
  method: 'GET',
  path: '/v1/admin/rollouts',
  summary: 'List roll-outs',
  description: 'Newest first. Ended ones are kept for 400 days.',
  tag,
  auth,
  query: Type.Object(pageQuery),
  replies: { 200: Type.Object({ items: Type.Array(RolloutSchema) }) },
  errors: [],
  async handle({ query }, { rollouts }) {
    const page = pageOf(query);
    const { rollouts: items, total } = await rollouts.list(page);
    return { status: 200, data: { items: items.map(rolloutView) }, pagination: pagination(page, total) };
  },
});

export const getRollout = defineRoute({
  operationId: 'getRollout',
  method: 'GET',
  path: '/v1/admin/rollouts/{id}',
  summary: 'Get a roll-out',
  tag,
  auth,
  params,
  replies: { 200: RolloutSchema },
  errors: ['NOT_FOUND'],
  async handle({ params: { id } }, { rollouts }) {
    return { status: 200, data: rolloutView(await rollouts.get(id)) };
  },
});

export const listRolloutNodes = defineRoute({
  operationId: 'listRolloutNodes',
  method: 'GET',
  path: '/v1/admin/rollouts/{id}/nodes',
  summary: 'List the nodes of a roll-out',
  description: 'In the order in which they are upgraded.',
  tag,
  auth,
  params,
  query: Type.Object({ ...pageQuery, state: Type.Optional(RolloutNodeStateSchema) }),
  replies: { 200: Type.Object({ items: Type.Array(RolloutNodeSchema) }) },
  errors: ['NOT_FOUND'],
  async handle({ params: { id }, query }, { rollouts }) {
    const page = pageOf(query);
    const { nodes, total } = await rollouts.listNodes(id, { ...page, state: query.state ?? null });
    return { status: 200, data: { items: nodes.map(rolloutNodeView) }, pagination: pagination(page, total) };
  },
});
