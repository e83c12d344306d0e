import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { ownTypeName } from '../../../config/channel-settings.js';
import { IsTestSchema } from '../../../http/is-test.js';
import { channelTypes, takenTypeNames } from '../types/registry.js';
import { channelHealths } from './channel-row.js';
import { ChannelTemplateSchema } from './channel-template.js';

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', example: 'Operations' });
const TypeName = Type.Enum([...takenTypeNames], { type: 'string' });
const aliasesOf = (name: string) => takenTypeNames.filter((taken) => taken !== name && ownTypeName(taken) === name);
const locales = ['cn', 'en', 'tw'] as const;
const Locale = nullable(
  Type.Enum([...locales], { type: 'string' }),
  'Language of the messages; null: that of the account.',
);
const Timezone = nullable(
  Type.String({ maxLength: 64, example: 'Europe/Berlin' }),
  'IANA time zone of the messages; null: that of the account.',
);
const MaxPerMinute = nullable(
  Type.Integer({ minimum: 1, maximum: 60 }),
  'Greatest number of messages per minute, at most the limit of the type; null: that limit.',
);
const Template = nullable(ChannelTemplateSchema, 'Your texts; null: the default ones.');
const Config = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  maxProperties: 30,
  description: 'Settings of the type, as for creating a channel.',
});

/** Policies that send to a channel. */
export const UsedBySchema = Type.Array(
  Type.Object(
    { id: Type.String({ pattern: idPattern(idPrefixes.alertPolicy) }), name: Type.String({ example: 'Default' }) },
    { additionalProperties: false },
  ),
  { description: 'Enabled alert policies that name the channel; empty: no alert reaches it.' },
);

/** A channel (API specification 2.5). */
export const AlertChannelSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.alertChannel) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    name: Name,
    type: Type.String({ example: 'webhook' }),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Settings with defaults filled in. Secrets are masked with asterisks.',
      example: { url: '********', method: 'POST' },
    }),
    verified: Type.Boolean({
      description:
        'True if every recipient has confirmed by a code; for types without codes, once a message was accepted.',
    }),
    enabled: Type.Boolean(),
    is_default: Type.Boolean({ description: 'True for the channel that every account has: its own e-mail address.' }),
    locale: Locale,
    timezone: Timezone,
    max_per_minute: MaxPerMinute,
    template: Template,
    recipients: Type.Array(
      Type.Object(
        {
          to: Type.String({ example: 'ops@example.com' }),
          verified: Type.Boolean(),
          unsubscribed: Type.Boolean(),
          stopped_monitors: Type.Array(Type.String(), {
            description: 'Ids of monitors whose messages the recipient has stopped.',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'Recipients with their state; empty for types without recipients.' },
    ),
    health: Type.Object(
      {
        status: Type.Enum([...channelHealths], { type: 'string' }),
        since: nullable(Instant, 'Time since which the status applies; null: nothing was sent.'),
        last_error: nullable(Type.String(), 'Error of the last attempt, if it failed.'),
        last_sent_at: nullable(Instant, 'Time of the last accepted message; null: none.'),
      },
      { additionalProperties: false },
    ),
    used_by: UsedBySchema,
    created_at: Instant,
    updated_at: Instant,
  },
  { additionalProperties: false, title: 'AlertChannel' },
);

/** Response to the creation or a change of a channel. */
export const AlertChannelWithSecretSchema = Type.Object(
  {
    ...AlertChannelSchema.properties,
    secret: Type.Optional(
      Type.String({ description: 'Secret that was created by this request, shown only once.', example: 'whsec_…' }),
    ),
  },
  { additionalProperties: false, title: 'AlertChannelWithSecret' },
);

const options = {
  enabled: Type.Optional(Type.Boolean({ description: 'False: no alerts go to the channel. Default: true.' })),
  locale: Type.Optional(Locale),
  timezone: Type.Optional(Timezone),
  max_per_minute: Type.Optional(MaxPerMinute),
  template: Type.Optional(Template),
};

const creation = {
  ...options,
  use: Type.Optional(
    Type.Enum(['default', 'none'], {
      type: 'string',
      description:
        '`default`: the channel joins the rules of your default alert policy. `none`: no policy names it until you change one. Default: `default`, or `none` for a test key and once the policy has the greatest number of channels.',
    }),
  ),
};

/** Request to create a channel. */
export const AlertChannelCreateSchema = Type.Object(
  { name: Name, type: TypeName, config: Config, ...creation },
  { additionalProperties: false },
);

const noOperator = { channelUrls: {}, smsGateway: null, voiceGateway: null };

/** Request to create a channel, with the settings of each type, which are checked by the type. */
export const AlertChannelCreateDocumented = Type.Union(
  Object.values(channelTypes(noOperator)).map(({ name, config }) =>
    Type.Object(
      {
        name: Name,
        type:
          aliasesOf(name).length === 0
            ? Type.Literal(name)
            : Type.Enum([name, ...aliasesOf(name)], {
                type: 'string',
                description: `Shown as ${name}.`,
                example: name,
              }),
        config,
        ...creation,
      },
      { additionalProperties: false, title: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}ChannelCreate` },
    ),
  ),
);

/** Request to change a channel. */
export const AlertChannelChangeSchema = Type.Object(
  { name: Type.Optional(Name), config: Type.Optional(Config), ...options },
  { additionalProperties: false, minProperties: 1 },
);
