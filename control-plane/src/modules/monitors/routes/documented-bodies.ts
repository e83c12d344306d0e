import { type MonitorType, monitorTypeNames, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { monitorTypeSynonyms } from '@vantage/shared/monitor-types/type-names.js';
import { type TSchema, Type } from 'typebox';
import { MonitorChangeSchema, MonitorCreateSchema } from '../definition/schema.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { HeartbeatConfigDocumented } from '../heartbeats/heartbeat-config.js';

const { type: _type, config: _config, params: _params, ...common } = MonitorCreateSchema.properties;

const settings: readonly (readonly [MonitorType | typeof HEARTBEAT, TSchema])[] = [
  ...monitorTypeNames.map((type) => [type, settingsOf(type)] as const),
  [HEARTBEAT, HeartbeatConfigDocumented],
];

/** Request to create a monitor, with the settings of each type, which are checked by the type. */
export const MonitorCreateDocumented = Type.Union(settings.map(([type, schema]) => createOf(type, schema)));

const AnySettings = {
  ...Type.Union(settings.map(([, schema]) => schema)),
  title: 'MonitorConfig',
  description: 'Settings of the type of the monitor, all of them: those that are left out get their defaults.',
};

/** Request to update a monitor, whose type decides which of the settings apply. */
export const MonitorChangeDocumented = Type.Object(
  { ...MonitorChangeSchema.properties, config: Type.Optional(AnySettings), params: Type.Optional(AnySettings) },
  { additionalProperties: false, minProperties: 1, title: 'MonitorChange' },
);

function createOf(type: MonitorType | typeof HEARTBEAT, config: TSchema) {
  const aliases = [...monitorTypeSynonyms].filter(([, canonical]) => canonical === type).map(([alias]) => alias);
  return Type.Object(
    {
      ...common,
      type: Type.Enum([type, ...aliases], { type: 'string' }),
      config: Type.Optional(config),
      params: Type.Optional(config),
    },
    { additionalProperties: false, title: `${nameOf(type)}MonitorCreate` },
  );
}

function settingsOf(type: MonitorType): TSchema {
  const { Config, summary } = monitorTypeOf(type);
  return {
    ...Config,
    title: `${nameOf(type)}MonitorConfig`,
    description: `${summary}. \`params\` is an alias of \`config\`.`,
  };
}

/** `ssl_expiry` as a part of the names of schemas: `SslExpiry`. */
function nameOf(type: string): string {
  return type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
