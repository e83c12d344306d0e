import { type MonitorType, monitorTypeNames, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { monitorTypeSynonyms } from '@vantage/shared/monitor-types/type-names.js';
import { type TSchema, Type } from 'typebox';
import { MonitorCreateSchema } from '../definition/schema.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { HeartbeatConfigDocumented } from '../heartbeats/heartbeat-config.js';

const { type: _type, config: _config, params: _params, ...common } = MonitorCreateSchema.properties;

/** Request to create a monitor, with the settings of each type, which are checked by the type. */
export const MonitorCreateDocumented = Type.Union([
  ...monitorTypeNames.map((type) => createOf(type, settingsOf(type))),
  createOf(HEARTBEAT, HeartbeatConfigDocumented),
]);

function createOf(type: MonitorType | typeof HEARTBEAT, settings: TSchema) {
  const aliases = [...monitorTypeSynonyms].filter(([, canonical]) => canonical === type).map(([alias]) => alias);
  return Type.Object(
    {
      ...common,
      type: Type.Enum([type, ...aliases], { type: 'string' }),
      config: Type.Optional(settings),
      params: Type.Optional(settings),
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
