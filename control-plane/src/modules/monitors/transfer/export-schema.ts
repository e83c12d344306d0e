import { type Static, Type } from 'typebox';
import { NodeSelectionSchema } from '../../nodes/index.js';
import { TriggerRuleSchema } from '../schema.js';

/** What an export calls itself. API specification 2.4. */
export const EXPORT_KIND = 'vantage.monitors';
export const EXPORT_VERSION = 1;

/** A monitor as it is carried from one account to another. API specification 2.4. */
export const ExportMonitorSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ example: 'https' }),
    target: Type.String({ description: 'Empty: a heartbeat.', example: 'https://example.com/' }),
    interval_s: Type.Integer({ example: 60 }),
    node_count: Type.Integer({ minimum: 0, example: 3 }),
    tags: Type.Array(Type.String()),
    group: Type.String({ description: 'Name of its group; empty: in none.' }),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Without secrets; left out where it is empty.' }),
    ),
    secrets_left_out: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Paths in `config` of the secrets that were left out; the first dot divides. Write them into `config` before an import into another account.',
        example: ['auth.password', 'headers.X-Api-Key'],
      }),
    ),
    node_selection: Type.Optional(
      Type.Omit(NodeSelectionSchema, ['limit'], {
        additionalProperties: false,
        description: 'How its nodes are chosen; `node_count` says how many. A heartbeat has none.',
      }),
    ),
    trigger_rule: Type.Optional(TriggerRuleSchema),
    notify_owner: Type.Boolean(),
  },
  { additionalProperties: false, title: 'ExportMonitor' },
);
export type ExportMonitor = Static<typeof ExportMonitorSchema>;

/** The envelope of an export. API specification 2.4. */
export const MonitorExportSchema = Type.Object(
  {
    kind: Type.Enum([EXPORT_KIND], { type: 'string' }),
    version: Type.Integer({ minimum: EXPORT_VERSION, maximum: EXPORT_VERSION, example: EXPORT_VERSION }),
    exported_at: Type.String({ format: 'date-time' }),
    count: Type.Integer({ minimum: 0 }),
    monitors: Type.Array(ExportMonitorSchema, { description: 'By name.' }),
  },
  { additionalProperties: false, title: 'MonitorExport' },
);
export type MonitorExport = Static<typeof MonitorExportSchema>;
