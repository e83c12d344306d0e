import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { importFormatNames, importModes } from '../../../import-words.js';
import { MAX_ENTRIES } from '../transfer/entry/entry.js';
import { MonitorExportSchema } from '../transfer/exporting/export-schema.js';
import { ImportReportSchema } from '../transfer/importing/import-schema.js';
import { MAX_FILE_BYTES } from '../transfer/yaml/read-file.js';
import { filterOf, filterQuery } from './filter.js';
import { reads, tag, writes } from './monitor-access.js';

/** GET /v1/monitors/export (API specification 2.4). */
export const exportMonitors = defineRoute({
  operationId: 'exportMonitors',
  method: 'GET',
  path: '/v1/monitors/export',
  summary: 'Export your monitors',
  description:
    'All monitors, or those that match the filters, sorted by name. An import of the file creates the same monitors again. Ids, states, checks, events and alert policies are not exported. Secrets are left out; `secrets_left_out` of a monitor lists them.',
  tag,
  auth: reads,
  query: Type.Object(filterQuery),
  replies: { 200: MonitorExportSchema },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    return { status: 200, data: await monitors.transfer.exportText(account, filterOf(query)) };
  },
});

const example = {
  kind: 'vantage.monitors',
  version: 1,
  monitors: [{ name: 'Shop', type: 'https', target: 'https://example.com/', interval_s: 60, group: 'Web' }],
};
const yamlExample = `endpoints:
  - name: Shop
    url: https://example.com/
    interval: 1m
    conditions: ["[STATUS] == 200"]
`;

/** POST /v1/monitors/import (API specification 2.4): the only operation with a larger body. */
export const importMonitors = defineRoute({
  operationId: 'importMonitors',
  method: 'POST',
  path: '/v1/monitors/import',
  summary: 'Import monitors',
  description: `Takes an export of this service, a backup of Uptime Kuma or a configuration of Gatus; docs/import.md describes how each field is imported. Each monitor is imported as a whole or not at all, and appears in exactly one list of the response; those that failed have the reason. Settings that could not be imported are in \`warnings\`. An interval becomes the next longer one that the plan allows. Missing groups are created. With \`dry_run\` nothing changes, and the response is the same except for the ids of new monitors. To continue an interrupted import, repeat it with \`mode=skip\`. An account may run one import at a time: another one is refused with \`CONFLICT\` and \`Retry-After\`.`,
  tag,
  auth: writes,
  queuesItself: true,
  query: Type.Object({
    format: Type.Optional(
      Type.Enum([...importFormatNames], {
        type: 'string',
        description: 'Format of the file; default: detected from the file.',
      }),
    ),
    mode: Type.Enum([...importModes], {
      type: 'string',
      default: 'skip',
      description:
        'Treatment of a monitor whose name is taken: it is skipped, gets another name (`Shop (2)`), or replaces the settings of the monitor with the name, which keeps its id and history.',
    }),
    dry_run: Type.Boolean({ default: false, description: 'Only report what the import would do.' }),
  }),
  file: {
    maxBytes: MAX_FILE_BYTES,
    mediaTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'],
    description: `File of at most ${MAX_ENTRIES} monitors, in JSON or YAML regardless of the media type, nested at most 32 levels deep. YAML may have anchors and merge keys, but no tags.`,
    examples: { json: example, text: yamlExample },
  },
  replies: { 200: ImportReportSchema },
  errors: ['VALIDATION_FAILED', 'CONFLICT'],
  async handle(request, { monitors }) {
    const { account, file: bytes, query, signal } = request;
    const { format = null, mode, dry_run: isDryRun } = query;
    const act = { account, actor: actorOf(request) };
    return { status: 200, data: await monitors.transfer.importing.run({ bytes, format, mode, isDryRun, signal }, act) };
  },
});
