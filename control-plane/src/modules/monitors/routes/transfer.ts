import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { importFormatNames, importModes } from '../../../import-words.js';
import { MAX_ENTRIES } from '../transfer/entry.js';
import { MonitorExportSchema } from '../transfer/export-schema.js';
import { ImportReportSchema } from '../transfer/import-schema.js';
import { MAX_FILE_BYTES } from '../transfer/read-file.js';
import { filterOf, filterQuery } from './filter.js';
import { reads, tag, writes } from './monitor-access.js';

/** GET /v1/monitors/export (API specification 2.4). */
export const exportMonitors = defineRoute({
  operationId: 'exportMonitors',
  method: 'GET',
  path: '/v1/monitors/export',
  summary: 'Export your monitors',
  description:
    'All of them, or those that the filters leave, by name: what an import takes to make the same monitors again. Ids, states, checks, events and alert policies are not in it. Secrets are left out; `secrets_left_out` of a monitor says which.',
  tag,
  auth: reads,
  query: Type.Object(filterQuery),
  replies: { 200: MonitorExportSchema },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { monitors }) {
    return { status: 200, data: await monitors.transfer.export(account, filterOf(query)) };
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

/** POST /v1/monitors/import (API specification 2.4): the one operation with a larger body. */
export const importMonitors = defineRoute({
  operationId: 'importMonitors',
  method: 'POST',
  path: '/v1/monitors/import',
  summary: 'Import monitors',
  description: `Of an export of this service, a backup of Uptime Kuma or a configuration of Gatus; docs/import.md says what becomes of each of their fields. Each monitor is imported whole or not at all, and stands in one list of the answer: those that failed with the reason. What could not be carried over is in \`warnings\`. Intervals become the next longer one that the plan allows. Groups are made where they are missing. With \`dry_run\` nothing changes, and the answer is the same but for the ids of what would be new. An import that was interrupted is gone on with by \`mode=skip\`.`,
  tag,
  auth: writes,
  needsVerifiedEmail: true,
  query: Type.Object({
    format: Type.Optional(
      Type.Enum([...importFormatNames], { type: 'string', description: 'Default: told from the file.' }),
    ),
    mode: Type.Enum([...importModes], {
      type: 'string',
      default: 'skip',
      description:
        'What becomes of a monitor whose name is taken: left out, given another name (`Shop (2)`), or laid over the one that has it, whose id and history stay.',
    }),
    dry_run: Type.Boolean({ default: false, description: 'Only say what would be done.' }),
  }),
  file: {
    maxBytes: MAX_FILE_BYTES,
    mediaTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'],
    description: `A file of at most ${MAX_ENTRIES} monitors, JSON or YAML whichever it is sent as, nested at most 32 deep. YAML may have anchors and merge keys, no tags.`,
    examples: { json: example, text: yamlExample },
  },
  replies: { 200: ImportReportSchema },
  errors: ['VALIDATION_FAILED'],
  async handle(request, { monitors }) {
    const { account, file: bytes, query, signal } = request;
    const { format = null, mode, dry_run: isDryRun } = query;
    const act = { account, actor: actorOf(request) };
    return { status: 200, data: await monitors.transfer.importing.run({ bytes, format, mode, isDryRun, signal }, act) };
  },
});
