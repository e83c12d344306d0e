import {
  boundedList,
  type DraftMonitor,
  type Entry,
  EntryError,
  type Note,
  type ParsedFile,
  readEntry,
} from '../entry/entry.js';
import { Fields, isRecord } from '../entry/fields.js';
import type { ImportFormat } from '../entry/format.js';
import { pushTiming } from '../entry/push-timing.js';
import { defaultAlertsIn, endpointDraft } from './gatus-endpoint.js';
import { withoutEnvironment } from './gatus-environment.js';
import { milliseconds } from './gatus-fields.js';

/** Parts of a configuration other than endpoints, with their notes. */
const otherParts: Readonly<Record<string, string>> = {
  alerting: 'alerts were not imported: create alert channels',
  suites: 'suites were not imported: a monitor has only one request',
  maintenance: 'was not imported: create a maintenance window',
  remote: 'was not imported: import the file of each instance',
  tunneling: 'was not imported: nodes check without a tunnel',
  announcements: 'were not imported',
};

/** Format of configurations of Gatus. */
export const gatusFormat: ImportFormat = {
  title: 'gatus',
  recognises: (file) => Array.isArray(file['endpoints']) || Array.isArray(file['external-endpoints']),
  parse(file) {
    const [endpoints, external] = [listOf(file, 'endpoints'), listOf(file, 'external-endpoints')];
    boundedList([...endpoints, ...external], 'endpoints');
    const repeated = repeatedNames([...endpoints, ...external]);
    const defaults = defaultAlertsIn(file['alerting']);
    const entries = [
      ...endpoints.map((endpoint, index) =>
        entryOf(endpoint, index, repeated, (fields, note) => endpointDraft(fields, { defaults, note })),
      ),
      // they go on counting: their places distinguish them
      ...external.map((endpoint, index) => entryOf(endpoint, endpoints.length + index, repeated, pushedDraft)),
    ];
    return { entries, notes: partNotes(file) };
  },
};

type ReadDraft = (fields: Fields, note: (field: string | null, message: string) => void) => Omit<DraftMonitor, 'group'>;

function entryOf(endpoint: unknown, index: number, repeated: ReadonlySet<string>, read: ReadDraft): Entry {
  const [plain, group] = [textIn(endpoint, 'name'), textIn(endpoint, 'group')];
  const isRepeated = plain !== null && repeated.has(plain) && group !== null;
  const name = isRepeated ? `${group} / ${plain}` : plain;
  return readEntry(index, name, (note) => {
    if (isRepeated) note('name', `another group has a monitor with this name: renamed to "${name}"`);
    const fields = new Fields(withoutEnvironment(endpoint));
    fields.ignore('name', 'group', 'ui');
    const draft = read(fields, note);
    for (const field of fields.unread) note(field, 'was not imported: it is not supported');
    return { ...draft, body: { name, ...draft.body }, group };
  });
}

/** External endpoint, whose results are pushed by another program. */
const pushedDraft: ReadDraft = (fields, note) => {
  const heartbeat = fields.fields('heartbeat');
  const interval = heartbeat === null ? null : milliseconds(heartbeat, 'interval');
  if (interval === null || interval === 0) {
    const message = 'is required: without it no check-in is expected';
    throw new EntryError('heartbeat.interval', 'required', message);
  }
  fields.ignore('alerts');
  const token = fields.text('token');
  // NOTE: commands/import-report-text.ts shows the old token next to the new URL
  note('token', `${token === null ? 'a token' : `"${token}"`} is replaced by the token and URL of the monitor`);
  const config = pushTiming({ intervalSeconds: interval / 1_000, graceSeconds: 0 }, 'heartbeat.interval', note);
  const isPaused = fields.flag('enabled') === false;
  return { body: { type: 'heartbeat', config }, intervalSeconds: null, isPaused, leftOut: [] };
};

function listOf(file: Readonly<Record<string, unknown>>, field: string): readonly unknown[] {
  const list = file[field] ?? [];
  if (!Array.isArray(list)) throw new EntryError(field, 'type', 'must be a list of endpoints');
  return list;
}

/** Names that several endpoints have, which Gatus permits in different groups. */
function repeatedNames(endpoints: readonly unknown[]): ReadonlySet<string> {
  const names = endpoints.map((endpoint) => textIn(endpoint, 'name')).filter((name) => name !== null);
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

function textIn(endpoint: unknown, field: string): string | null {
  const value = isRecord(endpoint) ? endpoint[field] : null;
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

function partNotes(file: Readonly<Record<string, unknown>>): ParsedFile['notes'] {
  const notes = Object.entries(otherParts).filter(([part]) => file[part] !== undefined && file[part] !== null);
  return notes.map(([field, message]): Note & { index: null } => ({ index: null, field, message }));
}
