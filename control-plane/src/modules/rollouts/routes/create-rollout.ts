import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { exampleRollout, RolloutCreateSchema, RolloutSchema } from '../schema.js';
import { rolloutView } from '../view.js';

export const createRollout = defineRoute({
  operationId: 'createRollout',
  method: 'POST',
  path: '/v1/admin/rollouts',
  summary: 'Start a staged roll-out',
  description:
    'Upgrades the agents of the selected nodes in stages, in an order that is drawn. It halts by itself when `max_failures` nodes have failed; no node is upgraded twice. Nodes without a link wait until they are back. One roll-out is open at a time.',
  tag: 'Administration',
  auth: { kind: 'admin' },
  body: RolloutCreateSchema,
  bodyExample: {
    version: '1.4.0',
    selection: { countries: ['DE'] },
    stages: [1, 10, 100],
    max_failures: 3,
    pause_s: 600,
  },
  replies: { 201: RolloutSchema },
  replyExample: exampleRollout,
  errors: ['VALIDATION_FAILED', 'CONFLICT'],
  async handle(request, { rollouts }) {
    const { version, selection = {}, stages = [1, 10, 100], max_failures = 3, pause_s = 600 } = request.body;
    const order = { version, selection, stages, maxFailures: max_failures, pauseS: pause_s };
    return { status: 201, data: rolloutView(await rollouts.create(order, actorOf(request))) };
  },
});
