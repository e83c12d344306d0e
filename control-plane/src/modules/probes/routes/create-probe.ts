import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { type AnyRoute, defineRoute } from '../../../http/route.js';
import { type ProbeBody, toProbeRequest } from '../probe-request.js';
import { ProbeCreatedSchema, probeRequestSchema } from '../schema.js';

/** POST /v1/probe/{type} for every type (API specification 4.1). */
export const createProbeRoutes: readonly AnyRoute[] = probeTypeNames.map(createProbeRoute);

function createProbeRoute(type: ProbeType): AnyRoute {
  const { title, summary, exampleTarget } = definitionOf(type);
  return defineRoute({
    operationId: `create${title}Probe`,
    method: 'POST',
    path: `/v1/probe/${type}`,
    summary,
    description:
      'Asynchronous: the response has the id of the task; get the task at `url`, which is GET /v1/probe/tasks/{id}. Name nodes with `node_id`, `node_ids` or `nodes` (a selection). Without them, up to three online nodes in different networks are chosen. `unfit_nodes` of the response, and of the task, names those that match and cannot run the probe, if fewer nodes than wanted can. The request is refused if a named node is offline; a selection runs on the matching nodes that are online. While no node at all is online, the request is refused with 503, and `details.nodes` has the remedy. A forbidden literal target is refused at once; a name that resolves to a forbidden address gives a node result with the code target_not_allowed. Nodes beyond the budget of a target give a result with the code target_rate_limited. Each chosen node takes one node test of the daily quota of the plan. Test keys may not set `shared`.',
    tag: 'Probes',
    auth: { kind: 'public', scope: 'probe' },
    isOpenToUnverified: true,
    queuesItself: true,
    hasLocation: true,
    body: probeRequestSchema(type),
    bodyExample: { target: exampleTarget },
    replies: { 202: ProbeCreatedSchema },
    errors: [
      'VALIDATION_FAILED',
      'FORBIDDEN',
      'PROBE_TARGET_INVALID',
      'NODE_NOT_FOUND',
      'NODE_OFFLINE',
      'QUOTA_EXCEEDED',
      'RATE_LIMIT_EXCEEDED',
    ],
    async handle(request, { probes }) {
      const { task_ids, unfit_nodes, ...created } = await probes.create(
        toProbeRequest(type, request.body as ProbeBody),
        request,
      );
      return {
        status: 202,
        data: { ...created, task_ids: [...task_ids], ...(unfit_nodes ? { unfit_nodes: [...unfit_nodes] } : {}) },
        headers: { Location: created.url },
      };
    },
  });
}
