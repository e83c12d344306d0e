import { parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { HEARTBEAT } from '../../definition/type-names.js';
import { boundedList, type DraftMonitor, EntryError, type Note, readEntry } from '../entry/entry.js';
import { Fields, isRecord } from '../entry/fields.js';
import type { ImportFormat } from '../entry/format.js';
import { EXPORT_KIND, EXPORT_VERSION } from '../exporting/export-kind.js';

/** Fields of an exported monitor that a POST accepts unchanged. */
const ownFields = [
  'type',
  'target',
  'node_count',
  'node_selection',
  'trigger_rule',
  'alert_severity',
  'notify_owner',
  'tags',
] as const;

/** Those of the fields that do not apply to a heartbeat. */
const ofNodes: ReadonlySet<string> = new Set(['target', 'node_count']);

/** Format of Vantage's own exports. API specification 2.4. */
export const vantageFormat: ImportFormat = {
  title: 'vantage',
  recognises: ({ kind }) => kind === EXPORT_KIND,
  parse(file) {
    if (file['kind'] !== EXPORT_KIND) throw new EntryError('kind', 'enum', `must be ${EXPORT_KIND}`);
    if (file['version'] !== EXPORT_VERSION) {
      const message = `must be ${EXPORT_VERSION}: other versions of the service use other formats`;
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
  return [{ field: 'count', message: `is ${JSON.stringify(count)}, but the file contains ${found} monitors` }];
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
