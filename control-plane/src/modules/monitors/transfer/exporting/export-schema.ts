import { type Static, Type } from 'typebox';
import { nodeSchemas } from '../../../nodes/index.js';
import { AlertSeveritySchema, TriggerRuleSchema } from '../../definition/schema.js';
import { EXPORT_KIND, EXPORT_VERSION } from './export-kind.js';

/** Monitor as an export contains it. API specification 2.4. */
export const ExportMonitorSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ example: 'https' }),
    target: Type.String({
      description: 'Target of the checks; empty: the monitor is a heartbeat.',
      example: 'https://example.com/',
    }),
    interval_s: Type.Integer({ example: 60 }),
    node_count: Type.Integer({ minimum: 0, example: 3 }),
    tags: Type.Array(Type.String()),
    group: Type.String({ description: 'Name of the group; empty: none.' }),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Settings of the type without secrets; left out if empty.',
      }),
    ),
    secrets_left_out: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Paths in `config` of the secrets that were left out; only the first dot is a separator. Write the secrets into `config` before you import the file into another account.',
        example: ['auth.password', 'headers.X-Api-Key'],
      }),
    ),
    node_selection: Type.Optional(
      Type.Omit(nodeSchemas.selection, ['limit'], {
        additionalProperties: false,
        description: 'Rules by which nodes are chosen; `node_count` is their number. A heartbeat has none.',
      }),
    ),
    trigger_rule: Type.Optional(TriggerRuleSchema),
    alert_severity: AlertSeveritySchema,
    notify_owner: Type.Boolean(),
  },
  { additionalProperties: false, title: 'ExportMonitor' },
);
export type ExportMonitor = Static<typeof ExportMonitorSchema>;

/** Envelope of an export. API specification 2.4. */
export const MonitorExportSchema = Type.Object(
  {
    kind: Type.Enum([EXPORT_KIND], { type: 'string' }),
    version: Type.Integer({ minimum: EXPORT_VERSION, maximum: EXPORT_VERSION, example: EXPORT_VERSION }),
    exported_at: Type.String({ format: 'date-time' }),
    count: Type.Integer({ minimum: 0 }),
    monitors: Type.Array(ExportMonitorSchema, { description: 'Sorted by name.' }),
  },
  { additionalProperties: false, title: 'MonitorExport' },
);
export type MonitorExport = Static<typeof MonitorExportSchema>;
