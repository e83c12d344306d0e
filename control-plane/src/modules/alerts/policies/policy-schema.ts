import { alertSeverities, weekdays } from '@vantage/shared/alerts/policy.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, type TSchema, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { channelTypeNames, takenTypeNames } from '../types/registry.js';

// Requests and responses have the same parts. In a request all fields that have a default may be left out; in a response, as in the
// database, every field is there (shared/src/alerts/policy.ts).

/** Rules of a policy at most. */
export const MAX_RULES = 20;
/** Channels of a rule at most, and of an escalation step and a recovery. */
export const MAX_RULE_CHANNELS = 10;

const closed = { additionalProperties: false } as const;
const DAY_S = 86_400;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', example: 'On call' });
const seconds = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

const Severities = Type.Array(Type.Enum([...alertSeverities], { type: 'string' }), {
  maxItems: alertSeverities.length,
  uniqueItems: true,
  description: 'Severities to which the rule applies; empty: all.',
});
const TagsAny = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), {
  maxItems: 50,
  description: 'Tags of which the monitor has at least one; empty: any monitor. Stored in lower case, sorted.',
});
const Time = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, example: '09:00' });
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name of the time zone. Default: the time zone of your profile.',
  example: 'Europe/Berlin',
});

const window = {
  days: Type.Array(Type.Enum([...weekdays], { type: 'string' }), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    description: 'Days on which the window begins.',
  }),
  start: Time('Start, as local time.'),
  end: Time('End, as local time: if before `start`, it is on the next day; if equal, the window is the whole day.'),
};
const quiet = {
  below: Type.Enum(['warning', 'critical'], { type: 'string', description: 'Alerts below this severity are quiet.' }),
  action: Type.Enum(['hold', 'drop'], {
    type: 'string',
    description: '`hold`: what still fires at the end is sent then. `drop`: it is recorded only.',
  }),
};

const DelaySec = seconds(0, DAY_S, 'Seconds from the match to the first message. Default: 0.');
const repeat = {
  enabled: Type.Boolean({ description: 'True to repeat messages while the alert fires. Default: false.' }),
  interval_sec: seconds(300, 604_800, 'Seconds between two messages. Default: 14400.'),
  max_count: Type.Integer({ minimum: 1, maximum: 100, description: 'Number of repetitions. Default: 10.' }),
};
const AfterSec = seconds(60, DAY_S, 'Seconds from the opening of the alert; each step comes after the one before.');
const escalation = {
  repeat: Type.Integer({ minimum: 0, maximum: 5, description: 'Repetitions of all steps. Default: 0.' }),
  ack_timeout_sec: seconds(
    0,
    DAY_S,
    'Seconds after which an acknowledged alert fires again: 0 (never) or at least 300. Default: 0.',
  ),
};
const recovery = {
  notify: Type.Boolean({ description: 'True to send a message when the alert ends. Default: true.' }),
  delay_sec: seconds(
    0,
    3_600,
    'Seconds to wait with it; if the monitor is down again within them, neither is sent. Default: 0.',
  ),
};
const suppression = {
  after_sec: seconds(0, DAY_S, 'Seconds that trouble must last before a message is sent. Default: 0.'),
  flapping: Type.Enum(['notice', 'all', 'none'], {
    type: 'string',
    description:
      '`notice`: a message when flapping begins and when it ends; `all`: one for every event; `none`: none. Default: notice.',
  }),
  depends_on: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 20,
    description:
      'Ids of monitors: while one of them is down, messages about other monitors of the policy are held. Monitors that have been deleted are still listed, without effect.',
  }),
  no_data_after_sec: seconds(
    0,
    DAY_S,
    'Seconds without a result after which an alert opens: 0 (never) or at least 300. Default: 900.',
  ),
};

const ChannelTypeName = Type.Enum([...channelTypeNames], { type: 'string', description: 'Type of the channel.' });
const Recipients = nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 254 }), { minItems: 1, maxItems: 20 }),
  'Verified recipients of the channel that get the messages; null: all of them.',
);

/** Parts of a policy, with every field, for a schema of its channels. */
export function partsWith<C extends TSchema>(choice: C) {
  const channels = Type.Array(choice);
  const Window = Type.Object({ ...window, timezone: Timezone }, closed);
  const Match = Type.Object(
    {
      severity: Severities,
      tags_any: TagsAny,
      time_window: nullable(Window, 'Times at which the rule applies; null: always.'),
    },
    { ...closed, description: 'Conditions that must all hold.' },
  );
  const Step = Type.Object(
    { after_sec: AfterSec, channels, schedule_id: Type.Null({ description: 'Reserved.' }) },
    closed,
  );
  return {
    Rule: Type.Object({ match: Match, channels, delay_sec: DelaySec, repeat: Type.Object(repeat, closed) }, closed),
    Escalation: Type.Object({ steps: Type.Array(Step), ...escalation }, closed),
    OnRecovery: Type.Object({ ...recovery, channels }, closed),
    Suppression: Type.Object(
      { ...suppression, quiet_hours: Type.Array(Type.Object({ ...window, timezone: Timezone, ...quiet }, closed)) },
      closed,
    ),
  };
}

/** Channel that a policy names, with its type. */
export const TypedChoiceSchema = Type.Object(
  { type: ChannelTypeName, channel_id: Type.String(), to: Recipients },
  closed,
);
const whole = partsWith(TypedChoiceSchema);

/** Channel that a policy names, as stored: with its type, which never changes. */
export type TypedChoice = Static<typeof TypedChoiceSchema>;
/** Parts of a policy as stored. */
export type TypedRule = Static<typeof whole.Rule>;
export type TypedEscalation = Static<typeof whole.Escalation>;
export type TypedRecovery = Static<typeof whole.OnRecovery>;
export type StoredSuppression = Omit<Static<typeof whole.Suppression>, 'depends_on'>;

const MonitorId = nullable(
  Type.String({ maxLength: 64 }),
  'Monitor of a policy in the simple form; null in the full form.',
);
const ChannelIds = nullable(
  Type.Array(Type.String({ maxLength: 64 })),
  'Channels of a policy in the simple form, and of the default policy while it has one rule, which matches every alert; else null.',
);

/** Policy (API specification 2.5). */
export const AlertPolicySchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.alertPolicy) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    name: Name,
    enabled: Type.Boolean(),
    is_default: Type.Boolean({
      description:
        'True for the policy that applies to monitors without one of their own; every account has exactly one.',
    }),
    monitor_id: MonitorId,
    channel_ids: ChannelIds,
    rules: Type.Array(whole.Rule),
    escalation: whole.Escalation,
    on_recovery: whole.OnRecovery,
    suppression: whole.Suppression,
    created_at: Instant,
    updated_at: Instant,
  },
  { ...closed, title: 'AlertPolicy' },
);

const GivenChoiceSchema = Type.Object(
  {
    channel_id: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the channel.' })),
    type: Type.Optional(
      Type.Enum([...takenTypeNames], {
        type: 'string',
        description: 'Type of the channel; required without `channel_id`. wechatwork is an alias of wecom.',
      }),
    ),
    to: Type.Optional(
      nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 254 }), { minItems: 1, maxItems: 20 }),
        'Recipients; each must be a verified one of the channel, or without `channel_id` of a channel of the type. Null: all of the channel.',
      ),
    ),
  },
  closed,
);
/** Channel in a request. */
export type GivenChoice = Static<typeof GivenChoiceSchema>;

const GivenChannels = Type.Optional(
  Type.Array(GivenChoiceSchema, { description: `At most ${MAX_RULE_CHANNELS} channels. Default: none.` }),
);
const GivenWindow = Type.Object({ ...window, timezone: Type.Optional(Timezone) }, closed);
const GivenRule = Type.Object(
  {
    match: Type.Optional(
      Type.Object(
        {
          severity: Type.Optional(Severities),
          tags_any: Type.Optional(TagsAny),
          time_window: Type.Optional(nullable(GivenWindow, 'Times at which the rule applies; null: always.')),
        },
        { ...closed, description: 'Conditions that must all hold. Default: none.' },
      ),
    ),
    channels: GivenChannels,
    delay_sec: Type.Optional(DelaySec),
    repeat: Type.Optional(Type.Partial(Type.Object(repeat), closed)),
  },
  closed,
);
const GivenStep = Type.Object(
  {
    after_sec: AfterSec,
    channels: GivenChannels,
    schedule_id: Type.Optional(
      nullable(Type.String({ maxLength: 64 }), 'Reserved: null, anything else is refused (422).'),
    ),
  },
  closed,
);

const settings = {
  enabled: Type.Optional(Type.Boolean({ description: 'False: the policy opens no alerts. Default: true.' })),
  is_default: Type.Optional(
    Type.Boolean({
      description: 'True: the policy becomes the default policy of the account, in place of the present one.',
    }),
  ),
  monitor_id: Type.Optional(nullable(Type.String({ maxLength: 64 }), 'Monitor of the simple form.')),
  channel_ids: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: 64 }), { minItems: 1 }),
      `Channels of the simple form, and of the default policy, at most ${MAX_RULE_CHANNELS}; they replace the previous ones. Default: the default channel.`,
    ),
  ),
  rules: Type.Optional(
    Type.Array(GivenRule, {
      description: `At most ${MAX_RULES} rules, of which at least one names a channel. Every rule that matches applies.`,
    }),
  ),
  escalation: Type.Optional(
    Type.Partial(
      Type.Object({
        steps: Type.Array(GivenStep, { maxItems: 10, description: 'Default: none.' }),
        ...escalation,
      }),
      { ...closed, description: 'Further channels while the alert fires and is not acknowledged.' },
    ),
  ),
  on_recovery: Type.Optional(
    Type.Object(
      {
        notify: Type.Optional(recovery.notify),
        delay_sec: Type.Optional(recovery.delay_sec),
        channels: GivenChannels,
      },
      {
        ...closed,
        description: 'Messages about the end of an alert; `channels` are in addition to those that were notified.',
      },
    ),
  ),
  suppression: Type.Optional(
    Type.Partial(
      Type.Object({
        ...suppression,
        quiet_hours: Type.Array(Type.Object({ ...window, timezone: Type.Optional(Timezone), ...quiet }, closed), {
          maxItems: 7,
          description: 'Times in which less severe alerts are quiet. Default: none.',
        }),
      }),
      { ...closed, description: 'Reasons to send nothing, or to wait.' },
    ),
  ),
};

/** Request to create a policy, in either form. */
export const AlertPolicyCreateSchema = Type.Object(
  { name: Name, ...settings },
  { ...closed, title: 'AlertPolicyCreate' },
);

/** Request to change a policy. */
export const AlertPolicyChangeSchema = Type.Object(
  { name: Type.Optional(Name), ...settings },
  { ...closed, minProperties: 1, title: 'AlertPolicyChange' },
);
export type AlertPolicyCreate = Static<typeof AlertPolicyCreateSchema>;
export type AlertPolicyChange = Static<typeof AlertPolicyChangeSchema>;
