import {
  type AddNote,
  boundedList,
  type DraftMonitor,
  EntryError,
  type Note,
  type ParsedFile,
  readEntry,
} from '../entry/entry.js';
import { Fields, isRecord } from '../entry/fields.js';
import type { ImportFormat } from '../entry/format.js';
import { kumaGroups } from './kuma-groups.js';
import { kumaTypes } from './kuma-types.js';

/** Fields of Uptime Kuma that are not settings, or are read elsewhere. */
const meaningless = [
  'id',
  'name',
  'pathName',
  'path',
  'childrenIDs',
  'weight',
  'forceInactive',
  'maintenance',
  'dns_last_result',
  'screenshot',
  'includeSensitiveData',
  'user_id',
  'parent',
] as const;

/** Settings of other types, which every monitor of a backup has with their defaults. */
const fieldsOfOthers = [
  'url',
  'method',
  'hostname',
  'port',
  'keyword',
  'invertKeyword',
  'expiryNotification',
  'ignoreTls',
  'maxredirects',
  'accepted_statuscodes',
  'dns_resolve_type',
  'dns_resolve_server',
  'packetSize',
  'httpBodyEncoding',
  'authMethod',
  'jsonPath',
  'jsonPathOperator',
  'expectedValue',
  'timeout',
  'pushToken',
  'kafkaProducerBrokers',
  'kafkaProducerSaslOptions',
  'kafkaProducerSsl',
  'kafkaProducerAllowAutoTopicCreation',
  'docker_container',
  'docker_host',
  'gamedigGivenPortOnly',
  'grpcEnableTls',
  'oauth_auth_method',
  'rabbitmqNodes',
  'snmpVersion',
  'radiusPassword',
  'mqttUsername',
  'mqttPassword',
  'mqttCheckType',
  'ping_count',
  'ping_numeric',
  'ping_per_request_timeout',
  'smtpSecurity',
  'wsSubprotocol',
  'wsIgnoreSecWebsocketAcceptHeader',
  'cacheBust',
  'retryOnlyOnStatusCodeFailure',
] as const;

/** Format of backups of Uptime Kuma 1. */
export const kumaFormat: ImportFormat = {
  title: 'uptime-kuma',
  recognises: (file) => 'monitorList' in file,
  parse(file) {
    const monitors = monitorsOf(file['monitorList']);
    const groups = kumaGroups(monitors);
    const notifications = namesById(file['notificationList']);
    const entries = monitors.flatMap((monitor, index) =>
      groups.isGroup(monitor)
        ? []
        : readEntry(index, nameOf(monitor), (note) =>
            draftOf(monitor, { group: groups.pathOf(monitor), notifications, note }),
          ),
    );
    return { entries, notes: fileNotes(file, monitors, groups) };
  },
};

function monitorsOf(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return boundedList(list, 'monitorList');
  // the form that is sent to clients of Uptime Kuma
  if (isRecord(list)) return boundedList(Object.values(list), 'monitorList');
  throw new EntryError('monitorList', 'required', 'must be a list of monitors');
}

function nameOf(monitor: unknown): string | null {
  const name = isRecord(monitor) ? monitor['name'] : null;
  return typeof name === 'string' ? name.trim() : null;
}

interface KumaContext {
  readonly group: string | null;
  readonly notifications: ReadonlyMap<string, string>;
  readonly note: AddNote;
}

function draftOf(monitor: unknown, { group, notifications, note }: KumaContext): DraftMonitor {
  const fields = new Fields(monitor);
  const type = fields.text('type') ?? '';
  const name = nameOf(monitor);
  const toType = Object.hasOwn(kumaTypes, type) ? kumaTypes[type as keyof typeof kumaTypes] : null;
  if (toType === null) throw new EntryError('type', 'not_supported', `"${type}" of Uptime Kuma is not supported`);
  const intervalSeconds = fields.number('interval') ?? 60;
  const retries = retriesOf(fields, intervalSeconds, note);
  const { config, ...own } = toType(fields, { note, intervalSeconds, retries });
  const upsideDown = fields.flag('upsideDown') === true ? { upside_down: true } : {};
  const tags = tagsOf(fields);
  const isPaused = fields.flag('active') === false;
  notCarriedOver(fields, notifications, note);
  const isPushed = own.type === 'heartbeat';
  if (isPushed && 'upside_down' in upsideDown)
    throw new EntryError(
      'upsideDown',
      'not_supported',
      'is not supported with "push": a missing ping is always a failure',
    );
  return {
    body: {
      name,
      ...own,
      config: isPushed ? config : { ...config, ...upsideDown },
      tags,
      ...(isPushed ? {} : { trigger_rule: { consecutive_fail: retries.consecutiveFail } }),
    },
    intervalSeconds: isPushed ? null : intervalSeconds,
    group,
    isPaused,
    leftOut: [],
  };
}

const MOST_FAILURES = 20;

function retriesOf(fields: Fields, intervalSeconds: number, note: AddNote) {
  const retries = fields.number('maxretries') ?? 0;
  const retryInterval = fields.number('retryInterval') ?? intervalSeconds;
  if (retries > 0 && retryInterval !== intervalSeconds)
    note('retryInterval', 'was not imported: retries after a failed check use the usual interval');
  const consecutiveFail = Math.min(MOST_FAILURES, Math.max(1, Math.round(retries) + 1));
  if (retries + 1 > MOST_FAILURES)
    note(
      'maxretries',
      `${retries} was changed to ${MOST_FAILURES - 1}: a node counts at most ${MOST_FAILURES} failed checks`,
    );
  return { consecutiveFail, graceSeconds: Math.max(0, retries * retryInterval) };
}

/** `name`, or `name:value` of a tag with one. */
function tagsOf(fields: Fields): string[] {
  return fields.list('tags').map((tag, index) => {
    if (typeof tag === 'string') return tag;
    const own = new Fields(tag, `tags.${index}`);
    const [name, value] = [own.text('name') ?? '', own.text('value')];
    return value === null ? name : `${name}:${value}`;
  });
}

function notCarriedOver(fields: Fields, notifications: ReadonlyMap<string, string>, note: AddNote): void {
  const used = Object.entries((fields.any('notificationIDList') ?? {}) as object).filter(([, isOn]) => isOn === true);
  for (const [id] of used) {
    const name = notifications.get(id) ?? id;
    note('notificationIDList', `the notification "${name}" was not imported: create an alert channel`);
  }
  if (fields.any('proxyId')) note('proxyId', 'was not imported: nodes check without a proxy');
  if (fields.number('resendInterval'))
    note('resendInterval', 'was not imported: repetition is a setting of alert policies');
  if (fields.text('description') !== null) note('description', 'was not imported: monitors do not have it');
  fields.ignore(...meaningless, ...fieldsOfOthers);
  for (const field of fields.unread) note(field, 'was not imported: it is not supported');
}

function namesById(list: unknown): ReadonlyMap<string, string> {
  const all = Array.isArray(list) ? list.filter(isRecord) : [];
  return new Map(all.map(({ id, name }) => [String(id), String(name ?? id)]));
}

function fileNotes(
  file: Readonly<Record<string, unknown>>,
  monitors: readonly unknown[],
  groups: ReturnType<typeof kumaGroups>,
): ParsedFile['notes'] {
  const said = (field: string, what: string): (Note & { index: null })[] => {
    const names = [...namesById(file[field]).values()];
    if (names.length === 0) return [];
    return [{ index: null, field, message: `${what} were not imported: ${names.length}` }];
  };
  const empty = monitors.flatMap((monitor, index) =>
    groups.isEmptyGroup(monitor)
      ? [{ index, field: null, message: `the group "${nameOf(monitor) ?? ''}" was skipped: it has no monitors` }]
      : [],
  );
  return [...said('notificationList', 'notifications'), ...said('proxyList', 'proxies'), ...empty];
}
