import { type Tone, toneColours } from '../../../../mail/template.js';
import type { Json } from '../answers.js';
import { manyLines } from '../formats/characters.js';
import { firstCharacters } from '../formats/cut.js';
import { sentenceOf } from '../lines.js';
import type { Message } from '../message.js';
import { toneOf } from '../tone.js';

/** Values of the variables of a message. */
export type Values = Readonly<Record<VariableName, string>>;

/** The closed list of variables, each with its meaning. Instants are ISO 8601, UTC; what a message lacks is empty. */
export const variables = {
  id: 'Id of the delivery, the same for every attempt.',
  thread: 'Id that the messages about one alert, group or digest have in common.',
  title: 'Title of the message.',
  headline: 'Sentence about the state and its reason, or the title where there is none.',
  text: 'Default text of the message, in the language of the channel.',
  kind: 'Kind of the message: firing, severity, reminder, escalation, acknowledged, resolved, digest, notice or test.',
  severity: 'Severity: critical, warning or info.',
  color: 'Colour of the state as a decimal number: red, orange, green or blue.',
  style: 'Style of the state in Adaptive Cards: attention, warning, good or accent.',
  time: 'Instant of what the message is about.',
  source: 'Address or name of what the message is about.',
  'monitor.id': 'Id of the monitor.',
  'monitor.name': 'Name of the monitor.',
  'monitor.type': 'Type of the monitor.',
  'monitor.target': 'Target of the monitor; empty for a heartbeat.',
  'monitor.group': 'Name of the monitor group.',
  'monitor.tags': 'Tags of the monitor, divided by commas.',
  'alert.id': 'Id of the alert event.',
  'alert.type': 'Type of the alert event: down, degraded or no_data.',
  'alert.status': 'Status of the alert event: firing, acknowledged or resolved.',
  'alert.reason': 'Reason that the nodes reported.',
  'alert.nodes': 'Names of the affected nodes, divided by commas.',
  'alert.started_at': 'Start of the alert.',
  'alert.resolved_at': 'End of the alert.',
  'alert.acknowledged_by': 'Name of the person who acknowledged the alert, or the channel or recipient whose link did.',
  'policy.id': 'Id of the alert policy.',
  'policy.name': 'Name of the alert policy.',
  link: 'First address of the message: the page that shows the alert, with a button to acknowledge it while it fires.',
  count: 'Number of alerts that the message is about.',
  acknowledge_url: 'Address at which the alert can be acknowledged; empty: it no longer fires.',
  monitor_url: 'Address of the page that shows the alert of the monitor, or the alerts of the message.',
} as const;
export type VariableName = keyof typeof variables;

export function isVariable(name: string): name is VariableName {
  return Object.hasOwn(variables, name);
}

/** Greatest length of a value. */
const MAX_VALUE = 16_384;

/** Values of a message's variables, without control and bidirectional characters. */
export function valuesOf(message: Message): Values {
  const written = Object.entries(rawValues(message));
  return Object.fromEntries(
    written.map(([name, value]) => [name, manyLines(firstCharacters(value, MAX_VALUE))]),
  ) as Values;
}

function rawValues(message: Message): Values {
  const { payload, links, names } = message;
  const data = objectIn(payload, 'data');
  const [monitor, alert, policy] = [objectIn(data, 'monitor'), objectIn(data, 'alert'), objectIn(data, 'policy')];
  const metadata = objectIn(alert, 'metadata');
  const tone = toneOf(message);
  const acknowledgeUrl = links.find(({ role }) => role === 'acknowledge')?.url ?? '';
  return {
    id: message.id,
    thread: message.thread,
    title: message.title,
    headline: sentenceOf(message),
    text: defaultText(message),
    kind: message.kind,
    severity: message.severity,
    color: String(Number.parseInt(toneColours[tone].slice(1), 16)),
    style: styles[tone],
    time: new Date(message.atMs).toISOString(),
    source: message.source,
    'monitor.id': textIn(monitor, 'id'),
    'monitor.name': textIn(monitor, 'name'),
    'monitor.type': textIn(monitor, 'type'),
    // the target of a heartbeat is the start of a token
    'monitor.target': textIn(monitor, 'type') === 'heartbeat' ? '' : textIn(monitor, 'target'),
    'monitor.group': names === undefined ? textIn(monitor, 'group') : (names.group ?? ''),
    'monitor.tags': textIn(monitor, 'tags'),
    'alert.id': textIn(alert, 'id'),
    'alert.type': textIn(alert, 'type'),
    'alert.status': textIn(alert, 'status'),
    'alert.reason': textIn(metadata, 'reason'),
    'alert.nodes': names === undefined ? textIn(metadata, 'affected_nodes') : names.nodes.join(', '),
    'alert.started_at': textIn(alert, 'started_at'),
    'alert.resolved_at': textIn(alert, 'resolved_at'),
    'alert.acknowledged_by': names === undefined ? textIn(alert, 'acknowledged_by') : (names.acknowledgedBy ?? ''),
    'policy.id': textIn(policy, 'id'),
    'policy.name': textIn(policy, 'name'),
    link: links[0]?.url ?? '',
    count: textIn(data, 'count') || '1',
    acknowledge_url: acknowledgeUrl,
    // of the same page a message has one link
    monitor_url: links.find(({ role }) => role === 'monitor')?.url ?? acknowledgeUrl,
  };
}

/** https://adaptivecards.io/explorer/Container.html */
const styles: Readonly<Record<Tone, string>> = {
  good: 'good',
  bad: 'attention',
  warning: 'warning',
  neutral: 'accent',
};

function defaultText({ headline, facts, items, note }: Message): string {
  const lines = [headline, ...facts.map(({ label, value }) => `${label}: ${value}`), ...items, note ?? undefined];
  return lines.filter((line) => line !== undefined).join('\n');
}

function objectIn(json: Json, key: string): Json {
  const value = json[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function textIn(json: Json, key: string): string {
  const value = json[key];
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(memberText).join(', ');
  return typeof value === 'object' ? memberText(value) : String(value);
}

/** Text of a member of a list: a string, or the name of an object. */
function memberText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { name, id } = value as { readonly name?: unknown; readonly id?: unknown };
  return String(name ?? id ?? '');
}
