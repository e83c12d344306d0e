import { parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { HEARTBEAT } from '../type-names.js';
import { boundedList, type DraftMonitor, EntryError, type Note, readEntry } from './entry.js';
import { EXPORT_KIND, EXPORT_VERSION } from './export-schema.js';
import { Fields, isRecord } from './fields.js';
import type { ImportFormat } from './format.js';

/** What an export says of a monitor and a POST takes as it is. */
const ownFields = ['type', 'target', 'node_count', 'node_selection', 'trigger_rule', 'notify_owner', 'tags'] as const;

/** Of them those that say nothing of a heartbeat. */
const ofNodes: ReadonlySet<string> = new Set(['target', 'node_count']);

/** An export of Vantage's own. API specification 2.4. */
export const vantageFormat: ImportFormat = {
  title: 'vantage',
  recognises: ({ kind }) => kind === EXPORT_KIND,
  parse(file) {
    if (file['kind'] !== EXPORT_KIND) throw new EntryError('kind', 'enum', `must be ${EXPORT_KIND}`);
    if (file['version'] !== EXPORT_VERSION) {
      const message = `must be ${EXPORT_VERSION}: another one is of another version of this service`;
      throw new EntryError('version', 'not_supported', message);
    }
    const monitors = file['monitors'];
    if (!Array.isArray(monitors)) throw new EntryError('monitors', 'required', 'must be a list of monitors');
    return {
      entries: boundedList(monitors, 'monitors').map((monitor, index) =>
        readEntry(index, nameOf(monitor), () => draftOf(monitor)),
      ),
      notes: countNotes(file['count'], monitors.length).map((note) => ({ ...note, index: null })),
    };
  },
};

function countNotes(count: unknown, found: number): Note[] {
  if (count === undefined || count === found) return [];
  return [{ field: 'count', message: `says ${JSON.stringify(count)}, and there are ${found} monitors` }];
}

function nameOf(monitor: unknown): string | null {
  const name = isRecord(monitor) ? monitor['name'] : null;
  return typeof name === 'string' ? name : null;
}

function draftOf(monitor: unknown): DraftMonitor {
  const fields = new Fields(monitor);
  const intervalSeconds = fields.number('interval_s');
  const group = fields.text('group');
  const leftOut = fields.list('secrets_left_out').map(String);
  const config = fields.any('config') ?? {};
  const given = ownFields.map((field) => [field, fields.any(field)] as const);
  const type = fields.any('type');
  const isHeartbeat = typeof type === 'string' && parseTypeName(type) === HEARTBEAT;
  const meant = given.filter(([field]) => !isHeartbeat || !ofNodes.has(field));
  const body = Object.fromEntries([...meant, ['name', fields.any('name')]].filter(([, value]) => value !== undefined));
  const [unknown] = fields.unread;
  if (unknown !== undefined) throw new EntryError(unknown, 'unknown', 'is not a known field');
  return { body: { ...body, config }, intervalSeconds, group, isPaused: false, leftOut };
}
