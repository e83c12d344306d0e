import { alertSeverities } from '@vantage/shared/alerts/policy.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import { monitorTypeSynonyms, unsupportedMonitorTypes } from '@vantage/shared/monitor-types/type-names.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { nodeSchemas } from '../../nodes/index.js';
import { monitorIntervals } from './intervals.js';

/** Configuration state of a monitor. API specification 2.2. */
export const monitorStatuses = ['active', 'paused', 'archived'] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Runtime health of a monitor. API specification 2.2. */
export const healths = ['up', 'down', 'degraded', 'unknown'] as const;

/** Types of events. API specification 2.4. */
export const eventTypes = ['down', 'degraded'] as const;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Unique in your account.' });
const Target = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Target of the checks: a URL, a host, or host:port, depending on the type.',
  example: 'https://example.com/',
});
const Settings = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  maxProperties: 100,
  description: 'Settings of the type; those that are left out have their defaults.',
});
const NODE_COUNT = { minimum: 1, maximum: 50 };
// without a default limit: it could not be distinguished from a limit that the caller sent, and node_count says the same
const Selection = Type.Object(
  {
    ...nodeSchemas.selection.properties,
    limit: Type.Optional(Type.Integer({ ...NODE_COUNT, description: 'Alias of `node_count`.' })),
  },
  { additionalProperties: false, title: 'MonitorNodeSelection' },
);
const Interval = Type.Integer({
  description: `Seconds between two checks by a node: ${monitorIntervals.join(', ')}; the plan may require longer intervals. Default: 60, or the interval that the type or plan requires.`,
  example: 60,
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), {
  maxItems: 50,
  description: 'Stored in lower case, without duplicates, sorted.',
});

/** Rule by which nodes decide the health of a monitor. API specification 2.2. */
export const TriggerRuleSchema = Type.Object(
  {
    consecutive_fail: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'Failed checks in a row after which a node reports the monitor down. Default: 2.',
    }),
    consecutive_ok: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'Successful checks in a row after which a node reports the monitor up again. Default: 1.',
    }),
    fail_node_quorum: Type.String({
      maxLength: 8,
      example: '2/3',
      description:
        'Nodes that must agree: a fraction of those that may vote, a count, `all` or `any`. Unless it is `any`, at least two if two are assigned. Default: 2/3.',
    }),
  },
  { additionalProperties: false, title: 'TriggerRule' },
);
export type TriggerRule = Static<typeof TriggerRuleSchema>;

const Severity = (usual: string, of: string) =>
  Type.Enum([...alertSeverities], {
    type: 'string',
    description: `Severity of alerts about ${of} of the monitor. Default: ${usual}.`,
  });

/** Severities of the alerts about a monitor, by the type of its events. */
export const AlertSeveritySchema = Type.Object(
  { down: Severity('critical', 'outages'), degraded: Severity('warning', 'degradations') },
  { additionalProperties: false, title: 'MonitorAlertSeverity' },
);
export type MonitorAlertSeverity = Static<typeof AlertSeveritySchema>;

// Type.Partial forgets that an object is closed unless this is repeated
const closed = { additionalProperties: false } as const;

const changeable = {
  target: Type.Optional(Target),
  interval_s: Type.Optional(Interval),
  interval_sec: Type.Optional({ ...Interval, description: 'Alias of `interval_s`.' }),
  config: Type.Optional(Settings),
  params: Type.Optional({ ...Settings, description: 'Alias of `config`.' }),
  assertions: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 20, description: 'Alias of `config.assertions`.' })),
  node_selection: Type.Optional(Selection),
  nodes: Type.Optional(Selection),
  node_count: Type.Optional(
    Type.Integer({ ...NODE_COUNT, description: 'Number of nodes that check the monitor; default: 3.' }),
  ),
  trigger_rule: Type.Optional(Type.Partial(TriggerRuleSchema, closed)),
  group_id: Type.Optional(nullable(Type.String({ maxLength: 64 }), 'Group of the monitor; null: none.')),
  tags: Type.Optional(Tags),
  alert_policy_id: Type.Optional(
    nullable(
      Type.String({ maxLength: 64 }),
      'Alert policy of your account; null: none, and unless a policy is for this monitor alone, the default policy applies.',
    ),
  ),
  alert_severity: Type.Optional(Type.Partial(AlertSeveritySchema, closed)),
  notify_owner: Type.Optional(
    Type.Boolean({
      description:
        'False: the default alert policy of the account does not apply, and the owner gets no e-mail when an event opens or closes. Default: true.',
    }),
  ),
};

const synonymsInWords = [...monitorTypeSynonyms]
  .map(([synonym, type]) => `${synonym} is an alias of ${type}`)
  .join(', ');

/** Fields of a new monitor. API specification 2.2, 4.5. */
export const MonitorCreateSchema = Type.Object(
  {
    name: Name,
    type: Type.String({
      maxLength: 32,
      description: `${monitorTypeNames.join(', ')}, heartbeat; ${synonymsInWords}. ${unsupportedMonitorTypes.join(', ')} are not supported yet (422). A heartbeat waits for pings of a job instead of being checked: it has no target, and its interval is derived from its config.`,
    }),
    ...changeable,
  },
  { additionalProperties: false, title: 'MonitorCreate' },
);
export type MonitorCreate = Static<typeof MonitorCreateSchema>;

/** Fields of a monitor that an update may change; those left out do not change. */
export const MonitorChangeSchema = Type.Object(
  { name: Type.Optional(Name), ...changeable },
  { additionalProperties: false, minProperties: 1, title: 'MonitorChange' },
);
export type MonitorChange = Static<typeof MonitorChangeSchema>;

const Placement = Type.Object(
  { field: Type.String({ example: 'config.allow_secrets_on' }), message: Type.String() },
  {
    additionalProperties: false,
    description:
      'Reason why a setting of the monitor leaves it with fewer nodes than `node_count`, and the remedy. Not in lists.',
  },
);

const BadgeUrl = Type.String({
  format: 'uri',
  description:
    'Public SVG image of the state, for everyone who has the address; it reveals neither name nor target, and stays the same.',
});

/** Monitor as its owner sees it. API specification 2.2. */
export const MonitorSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitor) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    name: Type.String(),
    type: Type.String({ example: 'https' }),
    target: Type.String({ example: 'https://example.com/' }),
    interval_s: Type.Integer({ example: 60 }),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Settings with defaults filled in. Secrets are masked with asterisks; so are body and headers for credentials without the scope `monitor:read`. A masked value that is sent back keeps the stored one, as long as it goes to the destination it was given for.',
    }),
    status: Type.Enum([...monitorStatuses], { type: 'string' }),
    paused_reason: nullable(
      Type.Enum(['account_deleting'], { type: 'string' }),
      'Why it is paused without an act on the monitor: `account_deleting`, the account is to be erased, and a restored account resumes it. Null: paused by its owner, or not paused.',
    ),
    current_status: Type.Enum([...healths], { type: 'string' }),
    state_since: {
      ...Instant,
      description: 'Time since which `current_status` applies: that of the check or ping that decided it.',
    },
    reason: nullable(
      Type.String(),
      'Reason why the monitor is down or degraded, as in alerts and events; null: it is up or unknown, or no event opened because of a maintenance window.',
    ),
    group_id: nullable(Type.String(), 'Group of the monitor; null: none.'),
    tags: Type.Array(Type.String()),
    node_count: Type.Integer({ description: 'Number of nodes that are to check the monitor.' }),
    // absent where no node checks it: a schema with defaults cannot also be null
    node_selection: Type.Optional(Selection),
    assigned_node_ids: Type.Array(Type.String(), { description: 'Nodes that check the monitor now.' }),
    trigger_rule: TriggerRuleSchema,
    alert_policy_id: nullable(Type.String(), 'Alert policy; null: none.'),
    alert_severity: AlertSeveritySchema,
    notify_owner: Type.Boolean(),
    in_maintenance: Type.Boolean(),
    uptime_percent: nullable(
      Type.Number({ minimum: 0, maximum: 100 }),
      'Share of the last 30 days without an outage, in percent; maintenance and pauses are left out. Null before the first check.',
    ),
    advisory: nullable(
      Type.Object(
        {
          failing_nodes: Type.Array(Type.String(), { description: 'Nodes whose checks fail, too few for a quorum.' }),
          placement: Type.Optional(Placement),
        },
        { additionalProperties: false, title: 'MonitorAdvisory' },
      ),
      'Notices for the owner that do not change the state; null: none.',
    ),
    last_check_at: nullable(Instant, 'Due time of the newest known check; null: none.'),
    next_check_at: nullable(Instant, 'Due time of the next check; null while the monitor is not checked.'),
    badge_url: BadgeUrl,
    created_at: Instant,
    updated_at: Instant,
  },
  { additionalProperties: false, title: 'Monitor' },
);

const CheckInUrl = Type.String({
  format: 'uri',
  description:
    'Address at which the job checks in; anyone who knows it can check in. For credentials without the scope `monitor:write` its token is cut to the display prefix.',
});
const HeartbeatState = Type.Enum(['new', 'up', 'started', 'late', 'down', 'paused'], {
  type: 'string',
  description:
    '`new`: no ping has arrived yet, which sends no notification. `started`: the run that began last is in progress. `late`: the next ping is overdue, within the grace period.',
});

/** Token, addresses and state of a new heartbeat. API specification 2.3. */
export const HeartbeatCreatedSchema = Type.Object(
  {
    token: Type.String({ description: 'Check-in token, shown only in this response; later it is part of `url`.' }),
    url: CheckInUrl,
    state: HeartbeatState,
    badge_url: BadgeUrl,
  },
  { additionalProperties: false, title: 'HeartbeatCreated' },
);

/** Heartbeat as its owner sees it. API specification 2.3. */
export const HeartbeatDetailSchema = Type.Object(
  {
    url: CheckInUrl,
    state: HeartbeatState,
    last_ping_at: nullable(Instant, 'Time of the last ping; null: none has arrived.'),
    last_ping_ip: nullable(Type.String(), 'IP address that sent the last ping.'),
    last_ping_via: nullable(
      Type.String({ description: '`GET`, `HEAD`, `POST`, or `push` for the address of Uptime Kuma’s clients.' }),
      'Method of the last ping.',
    ),
    ping_count: Type.Integer({ minimum: 0 }),
    next_expected: Type.Array(Instant, {
      maxItems: 10,
      description: 'Expected times of the next ten pings, if each arrives on time; empty while the monitor is paused.',
    }),
    badge_url: BadgeUrl,
  },
  { additionalProperties: false, title: 'HeartbeatDetail' },
);

/** Monitor in the response to its creation. */
export const MonitorCreatedSchema = Type.Object(
  { ...MonitorSchema.properties, heartbeat: Type.Optional(HeartbeatCreatedSchema) },
  { additionalProperties: false, title: 'MonitorCreated' },
);

/** Monitor in the response to a request for it alone. */
export const MonitorDetailSchema = Type.Object(
  { ...MonitorSchema.properties, heartbeat: Type.Optional(HeartbeatDetailSchema) },
  { additionalProperties: false, title: 'MonitorDetail' },
);

/** Check. API specification 2.4. */
export const MonitorCheckSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitorCheck) }),
    monitor_id: Type.String(),
    node_id: Type.String(),
    started_at: Instant,
    success: Type.Boolean({
      description: 'True if the check succeeded, or failed only assertions of severity `degraded`.',
    }),
    outcome: Type.Enum(['ok', 'degraded', 'failed'], { type: 'string' }),
    response_ms: nullable(Type.Integer({ minimum: 0 }), 'Response time in milliseconds; null: no response.'),
    status_code: nullable(Type.Integer(), 'HTTP status of the response; null: none.'),
    error: nullable(Type.String(), '`<code>: <message>`; null if the outcome is `ok`.'),
    error_code: nullable(Type.String(), 'Code of the error, for programs to branch on; null if the outcome is `ok`.'),
    details: nullable(
      Type.Record(Type.String(), Type.Unknown()),
      'Measurements, depending on the type, at most 4096 bytes of JSON. Kept for 30 days for checks with another outcome than `ok`, for the first `ok` check after them, and for checks on request. Null: none are kept.',
    ),
    late: Type.Boolean({
      description: 'True if the check was delivered long after it was made, because its node was not connected.',
    }),
    in_maintenance: Type.Boolean({
      description: 'True if the check began within a maintenance window, as windows are defined now.',
    }),
    superseded: Type.Boolean({
      description: 'True if the monitor was no longer assigned to the node: the check counts only in history.',
    }),
  },
  { additionalProperties: false, title: 'MonitorCheck' },
);

/** Period when a monitor was down or degraded. API specification 2.4. */
export const MonitorEventSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.monitorEvent) }),
    monitor_id: Type.String(),
    type: Type.Enum([...eventTypes], { type: 'string' }),
    started_at: Instant,
    ended_at: nullable(Instant, 'Null while the event lasts.'),
    duration_sec: nullable(Type.Integer({ minimum: 0 }), 'Duration in seconds; null while the event lasts.'),
    affected_nodes: Type.Array(Type.String()),
    reason: nullable(Type.String(), 'Reason that the nodes reported; null: none.'),
    is_false_positive: Type.Boolean(),
    ack_at: nullable(Instant, 'Time of the acknowledgement; null: not acknowledged.'),
    acknowledged_by: nullable(Type.String(), 'Id of the user that acknowledged the event; null: none.'),
    resolved_by: nullable(Type.String(), 'Id of the user that resolved the event; null: none.'),
    resolved_at: nullable(
      Instant,
      'Time when the event was resolved, which ends alerts and reminders; null: not resolved. The event lasts until its monitor recovers.',
    ),
    notes: nullable(Type.String(), 'Notes by users; null: none.'),
    backfilled: Type.Boolean({
      description: 'True if the event was created or corrected from late results, without a notification.',
    }),
    disputed: Type.Boolean({
      description:
        'True if late results show that the event did not happen: it is left out of uptime, but kept because it was notified.',
    }),
    created_at: Instant,
  },
  { additionalProperties: false, title: 'MonitorEvent' },
);
