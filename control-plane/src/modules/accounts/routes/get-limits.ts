import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { type Plan, planNames } from '../../../plans.js';

const count = (description: string, example: number | null) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; null: any number.`, examples: [example] });

const LimitsSchema = Type.Object(
  {
    plan: Type.Enum([...planNames], { type: 'string', examples: ['free'] }),
    requests_per_minute: count('Requests, of all keys, tokens and sessions together', 60),
    node_tests_per_day: count('Probes times the nodes they run on, from midnight UTC', 1_000),
    monitors: count('Monitors there may be', 10),
    min_interval_s: count('Seconds between two checks of a monitor at least', 60),
    members: count('People of a team', 1),
    nodes: count('Nodes there may be, and open enrollment tokens; as many may be enrolled an hour, 10 at least', 5),
    check_days: Type.Integer({ description: 'Days that single checks of monitors are kept.', examples: [7] }),
  },
  { additionalProperties: false, title: 'Limits' },
);

/** GET /v1/account/limits: the numbers of the caller's plan, as configured here. */
export const getLimits = defineRoute({
  operationId: 'getLimits',
  method: 'GET',
  path: '/v1/account/limits',
  summary: 'Read the limits of your plan',
  description:
    'What is left of the requests of this minute stands in the headers of every answer, and in meta.rate_limit.',
  tag: 'Account',
  auth: { kind: 'scope', scope: 'account' },
  replies: { 200: LimitsSchema },
  errors: [],
  async handle({ account }, { plans }) {
    return { status: 200, data: { plan: account.plan, ...shown(plans[account.plan]) } };
  },
});

function shown(plan: Plan) {
  const { requestsPerMinute, nodeTestsPerDay, monitors, minIntervalSeconds, members, nodes, checkDays } = plan;
  return {
    requests_per_minute: requestsPerMinute,
    node_tests_per_day: nodeTestsPerDay,
    monitors,
    min_interval_s: minIntervalSeconds,
    members,
    nodes,
    check_days: checkDays,
  };
}
