import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { NodeSelectionSchema } from '../nodes/index.js';
import { monitorIntervals } from './intervals.js';

/** Configuration state of a monitor. API specification 2.2. */
export const monitorStatuses = ['active', 'paused', 'archived'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Runtime health of a monitor. API specification 2.2. */
export const healths = ['up', 'down', 'degraded', 'unknown'] as const;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Unique in your account.' });
const Target = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'What is checked: a URL, a host, or host:port, as the type wants it.',
  example: 'https://example.com/',
});
const Settings = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  maxProperties: 100,
  description: 'Settings of the type; what is left out has its default.',
});
const NODE_COUNT = { minimum: 1, maximum: 50 };
// without a default limit: what a caller said and what was filled in could not be told apart, and node_count says the same
const Selection = Type.Object(
  {
    ...NodeSelectionSchema.properties,
    limit: Type.Optional(Type.Integer({ ...NODE_COUNT, description: 'Another name of `node_count`.' })),
  },
  { additionalProperties: false, title: 'MonitorNodeSelection' },
);
const Interval = Type.Integer({
  description: `Seconds between two checks of a node: ${monitorIntervals.join(', ')}; the plan may ask for longer ones. Default: 60, or what the type or plan asks for.`,
  example: 60,
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), {
  maxItems: 50,
  description: 'Lower-cased, without repetitions, sorted.',
});

/** How nodes decide. API specification 2.2. */
export const TriggerRuleSchema = Type.Object(
  {
    consecutive_fail: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'Failed checks in a row after which a node says that the monitor is down. Unless said otherwise 2.',
    }),
    consecutive_ok: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'Good checks in a row after which it says that it is up again. Unless said otherwise 1.',
    }),
    fail_node_quorum: Type.String({
      maxLength: 8,
      example: '2/3',
      description:
        'Unless said otherwise 2/3. How many nodes have to say so: a fraction of those that may vote, a count, `all` or `any`. Without `any` at least two where two are assigned.',
    }),
  },
  { additionalProperties: false, title: 'TriggerRule' },
);
export type TriggerRule = Static<typeof TriggerRuleSchema>;

const changeable = {
  target: Type.Optional(Target),
  interval_s: Type.Optional(Interval),
  interval_sec: Type.Optional({ ...Interval, description: 'Another name of `interval_s`.' }),
  config: Type.Optional(Settings),
  params: Type.Optional({ ...Settings, description: 'Another name of `config`.' }),
  assertions: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: 20, description: 'Another place for `config.assertions`.' }),
  ),
  node_selection: Type.Optional(Selection),
  nodes: Type.Optional(Selection),
  node_count: Type.Optional(
    Type.Integer({ ...NODE_COUNT, description: 'Nodes that check it: the limit of the selection; default 3.' }),
  ),
  trigger_rule: Type.Optional(Type.Partial(TriggerRuleSchema)),
  group_id: Type.Optional(nullable(Type.String({ maxLength: 64 }), 'Null: in no group.')),
  tags: Type.Optional(Tags),
  alert_policy_id: Type.Optional(nullable(Type.String({ maxLength: 64 }), 'Null: none.')),
  notify_owner: Type.Optional(
    Type.Boolean({ description: 'Mail the owner when an event opens and when it closes; default true.' }),
  ),
};

/** What a monitor is made of. API specification 2.2, 4.5. */
export const MonitorCreateSchema = Type.Object(
  {
    name: Name,
    type: Type.String({
      maxLength: 32,
      description: `${monitorTypeNames.join(', ')}, heartbeat; tcping and ssl are other names of tcp and ssl_expiry. A heartbeat waits for pings of a job instead of being checked: it needs no target, and its interval follows from its config.`,
    }),
    ...changeable,
  },
  { additionalProperties: false, title: 'MonitorCreate' },
);
export type MonitorCreate = Static<typeof MonitorCreateSchema>;

/** What may be changed of it; what is left out stays. */
export const MonitorChangeSchema = Type.Object(
  { name: Type.Optional(Name), ...changeable },
  { additionalProperties: false, minProperties: 1, title: 'MonitorChange' },
);
export type MonitorChange = Static<typeof MonitorChangeSchema>;

/** A monitor as its owner sees it. API specification 2.2. */
export const MonitorSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitor) }),
    user_id: Type.String(),
    name: Type.String(),
    type: Type.String({ example: 'https' }),
    target: Type.String({ example: 'https://example.com/' }),
    interval_s: Type.Integer({ example: 60 }),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'With the defaults filled in. Secrets are shown as asterisks; sent back like that they stay as they are.',
    }),
    status: Type.Enum([...monitorStatuses], { type: 'string' }),
    current_status: Type.Enum([...healths], { type: 'string' }),
    group_id: nullable(Type.String(), 'Null: in no group.'),
    tags: Type.Array(Type.String()),
    node_count: Type.Integer({ description: 'Nodes that are to check it.' }),
    // absent where no node checks it: a schema with defaults cannot also be null
    node_selection: Type.Optional(Selection),
    nodes: Type.Array(Type.String(), { description: 'Ids of the nodes that check it now.' }),
    trigger_rule: TriggerRuleSchema,
    alert_policy_id: nullable(Type.String(), 'Null: none.'),
    notify_owner: Type.Boolean(),
    in_maintenance: Type.Boolean(),
    uptime_percent: nullable(
      Type.Number({ minimum: 0, maximum: 100 }),
      'Share of the last 30 days without an outage, maintenance and pauses left out; null before the first check.',
    ),
    advisory: nullable(
      Type.Object({ failing_nodes: Type.Array(Type.String()) }, { additionalProperties: false }),
      'Nodes that fail, too few to decide; null: none.',
    ),
    last_check_at: nullable(Instant, 'When the newest check that is known was due.'),
    next_check_at: nullable(Instant, 'When the next one is due; null while it is not checked.'),
    created_at: Instant,
    updated_at: Instant,
  },
  { additionalProperties: false, title: 'Monitor' },
);

const CheckInUrl = Type.String({ format: 'uri', description: 'Where the job checks in; who knows it can.' });
const BadgeUrl = Type.String({
  format: 'uri',
  description: 'A picture of the state, for anybody; it stays when the token changes.',
});
const HeartbeatState = Type.Enum(['new', 'up', 'started', 'late', 'down', 'paused'], {
  type: 'string',
  description:
    '`new`: no ping has come yet, and nobody is told that. `started`: a run goes on. `late`: the next ping is overdue and the grace is running.',
});

/** What a heartbeat brings when it is made. API specification 2.3. */
export const HeartbeatCreatedSchema = Type.Object(
  {
    token: Type.String({ description: 'Shown here and never again on its own; `url` contains it.' }),
    url: CheckInUrl,
    state: HeartbeatState,
    badge_url: BadgeUrl,
  },
  { additionalProperties: false, title: 'HeartbeatCreated' },
);

/** A heartbeat as its owner sees it. API specification 2.3. */
export const HeartbeatDetailSchema = Type.Object(
  {
    url: CheckInUrl,
    state: HeartbeatState,
    last_ping_at: nullable(Instant, 'Null: none has come.'),
    last_ping_ip: nullable(Type.String(), 'Where it came from.'),
    last_ping_via: nullable(
      Type.String({ description: '`GET`, `HEAD`, `POST`, or `push` for the address of Uptime Kuma’s clients.' }),
      'How it came.',
    ),
    ping_count: Type.Integer({ minimum: 0 }),
    next_expected: Type.Array(Instant, {
      maxItems: 10,
      description: 'When the next ten pings are expected, if each comes when it is; none while it is paused.',
    }),
    badge_url: BadgeUrl,
  },
  { additionalProperties: false, title: 'HeartbeatDetail' },
);

/** A monitor that was just made. */
export const MonitorCreatedSchema = Type.Object(
  { ...MonitorSchema.properties, heartbeat: Type.Optional(HeartbeatCreatedSchema) },
  { additionalProperties: false, title: 'MonitorCreated' },
);

/** One monitor, looked at alone. */
export const MonitorDetailSchema = Type.Object(
  { ...MonitorSchema.properties, heartbeat: Type.Optional(HeartbeatDetailSchema) },
  { additionalProperties: false, title: 'MonitorDetail' },
);

/** One check. API specification 2.4. */
export const MonitorCheckSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitorCheck) }),
    monitor_id: Type.String(),
    node_id: Type.String(),
    started_at: Instant,
    success: Type.Boolean({ description: 'Whether it was well, or only a lesser assertion failed.' }),
    outcome: Type.Enum(['ok', 'degraded', 'failed'], { type: 'string' }),
    response_ms: nullable(Type.Integer({ minimum: 0 }), 'Null when nothing answered.'),
    status_code: nullable(Type.Integer(), 'Of HTTP.'),
    error: nullable(Type.String(), '`<code>: <message>`; null when it was well.'),
    error_code: nullable(Type.String(), 'Branch on this.'),
    details: nullable(
      Type.Record(Type.String(), Type.Unknown()),
      'What it measured, by type, at most 4096 bytes of JSON: kept for 30 days of checks that were not well, of the first good one after them, and of those that somebody asked for. Null: nothing is kept.',
    ),
    late: Type.Boolean({ description: 'It was delivered long after: its node had no link.' }),
    in_maintenance: Type.Boolean({ description: 'It began within a maintenance window, as they are written now.' }),
    superseded: Type.Boolean({ description: 'The monitor was another node’s by then: it counts in history alone.' }),
  },
  { additionalProperties: false, title: 'MonitorCheck' },
);

/** An episode in which a monitor was not well. API specification 2.4. */
export const MonitorEventSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitorEvent) }),
    monitor_id: Type.String(),
    type: Type.Enum(['down', 'degraded'], { type: 'string' }),
    started_at: Instant,
    ended_at: nullable(Instant, 'Null while it lasts.'),
    duration_sec: nullable(Type.Integer({ minimum: 0 }), 'Null while it lasts.'),
    affected_nodes: Type.Array(Type.String()),
    reason: nullable(Type.String(), 'What the nodes said.'),
    is_false_positive: Type.Boolean(),
    ack_at: nullable(Instant, 'Null: not acknowledged.'),
    acknowledged_by: nullable(Type.String(), 'User id.'),
    resolved_by: nullable(Type.String(), 'User id of who closed it; null: it ended by itself, or lasts.'),
    notes: nullable(Type.String(), 'Of people.'),
    backfilled: Type.Boolean({ description: 'Written or corrected when results came late: nobody was told of that.' }),
    disputed: Type.Boolean({
      description:
        'Results that came late say that it never was: it counts in no uptime, and stays since people were told.',
    }),
    created_at: Instant,
  },
  { additionalProperties: false, title: 'MonitorEvent' },
);

const GroupName = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', example: 'Production' });
const SortOrder = Type.Integer({
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description: 'Groups are listed by it, then by their creation. Default: 0.',
});

/** What a group is made of. API specification 2.4. */
export const MonitorGroupCreateSchema = Type.Object(
  { name: GroupName, sort_order: Type.Optional(SortOrder) },
  { additionalProperties: false, title: 'MonitorGroupCreate' },
);

/** What may be changed of it; what is left out stays. */
export const MonitorGroupChangeSchema = Type.Object(
  { name: Type.Optional(GroupName), sort_order: Type.Optional(SortOrder) },
  { additionalProperties: false, minProperties: 1, title: 'MonitorGroupChange' },
);

/** Monitors that belong together. API specification 2.4. */
export const MonitorGroupSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitorGroup) }),
    user_id: Type.String(),
    name: Type.String(),
    sort_order: Type.Integer(),
    created_at: Instant,
  },
  { additionalProperties: false, title: 'MonitorGroup' },
);
