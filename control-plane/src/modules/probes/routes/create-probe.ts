import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { type AnyRoute, defineRoute } from '../../../http/route.js';
import { type ProbeBody, toProbeRequest } from '../probe-request.js';
import { ProbeCreatedSchema, probeRequestSchema } from '../schema.js';

/** POST /v1/probe/{type} for every type there is (API specification 4.1). */
export const createProbeRoutes: readonly AnyRoute[] = probeTypeNames.map(createProbeRoute);

function createProbeRoute(type: ProbeType): AnyRoute {
  const { title, summary, exampleTarget } = definitionOf(type);
  return defineRoute({
    operationId: `create${title}Probe`,
    method: 'POST',
    path: `/v1/probe/${type}`,
    summary,
    description:
      'Asynchronous: the answer names the task to read at GET /v1/probe/tasks/{id}. Name nodes by node_id, node_ids or nodes (a selection); with none of them up to three online nodes of different networks are chosen. A named node that is offline refuses the request; a selection runs on what there is. A literal target that may not be probed is refused at once, a name that resolves to one is a node result with code target_not_allowed. Nodes beyond the budget of a target get a result with code target_rate_limited. Every node chosen is one node test of the daily quota of the plan.',
    tag: 'Probes',
    auth: { kind: 'public', scope: 'probe' },
    body: probeRequestSchema(type),
    bodyExample: { target: exampleTarget },
    replies: { 202: ProbeCreatedSchema },
    errors: [
      'VALIDATION_FAILED',
      'PROBE_TARGET_INVALID',
      'NODE_NOT_FOUND',
      'NODE_OFFLINE',
      'QUOTA_EXCEEDED',
      'RATE_LIMIT_EXCEEDED',
    ],
    async handle(request, { probes }) {
      const created = await probes.create(toProbeRequest(type, request.body as ProbeBody), request);
      return { status: 202, data: { ...created, task_ids: [...created.task_ids] } };
    },
  });
}
