import { instantText, type Reader } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';
import { type Link, type Message, type Severity, severities } from '../message.js';
import { nameOf } from './alert-message.js';
import type { DigestEntry, DigestFacts } from './facts.js';
import { durationText } from './instants.js';
import { alertWords } from './words.js';

/** Greatest number of monitors that a digest names. */
const MAX_NAMED = 20;

interface DigestWords {
  readonly firing: (count: number, parts: string) => string;
  readonly over: (count: number) => string;
  readonly both: (firing: string, over: string) => string;
  readonly group: (name: string, title: string) => string;
  readonly item: (type: string, name: string, duration: string) => string;
  readonly overItem: (name: string) => string;
  readonly rest: (count: number, parts: string) => string;
  readonly part: (type: string, count: number) => string;
  readonly since: string;
  readonly bySeverity: string;
}

const digestWords: Readonly<Record<Locale, DigestWords>> = {
  en: {
    firing: (count, parts) => `${count} ${count === 1 ? 'alert' : 'alerts'} firing (${parts})`,
    over: (count) => `${count} ${count === 1 ? 'alert' : 'alerts'} resolved`,
    both: (firing, over) => `${firing}, ${over}`,
    group: (name, title) => `${name}: ${title}`,
    item: (type, name, duration) => `${name}: ${type.toLowerCase()} for ${duration}`,
    overItem: (name) => `${name}: resolved`,
    rest: (count, parts) => `And ${count} more (${parts}).`,
    part: (type, count) => `${count} ${type.toLowerCase()}`,
    since: 'First since',
    bySeverity: 'Severity',
  },
  'zh-CN': {
    firing: (count, parts) => `${count} 个告警（${parts}）`,
    over: (count) => `${count} 个告警已恢复`,
    both: (firing, over) => `${firing}，${over}`,
    group: (name, title) => `${name}：${title}`,
    item: (type, name, duration) => `${name}：${type} ${duration}`,
    overItem: (name) => `${name}：已恢复`,
    rest: (count, parts) => `另有 ${count} 个（${parts}）。`,
    part: (type, count) => `${type} ${count}`,
    since: '最早开始时间',
    bySeverity: '级别',
  },
  'zh-TW': {
    firing: (count, parts) => `${count} 個告警（${parts}）`,
    over: (count) => `${count} 個告警已恢復`,
    both: (firing, over) => `${firing}，${over}`,
    group: (name, title) => `${name}：${title}`,
    item: (type, name, duration) => `${name}：${type} ${duration}`,
    overItem: (name) => `${name}：已恢復`,
    rest: (count, parts) => `另有 ${count} 個（${parts}）。`,
    part: (type, count) => `${type} ${count}`,
    since: '最早開始時間',
    bySeverity: '等級',
  },
};

/** Default message about several alerts: the twenty most severe by name, the others as counts. */
export function digestMessage(facts: DigestFacts, { locale, timezone }: Reader): Message {
  const says = digestWords[locale];
  const entries = [...facts.entries].sort(bySeverity);
  const firing = entries.filter(({ isOver }) => !isOver);
  const rest = entries.slice(MAX_NAMED);
  const [first] = firing;
  return {
    id: facts.id,
    thread: facts.thread,
    kind: 'digest',
    severity: first?.severity ?? 'info',
    locale,
    timezone,
    isOver: firing.length === 0 && facts.hasOthers !== true,
    title: titleOf(facts, locale),
    facts: factsOf(firing, { locale, timezone }),
    items: entries.slice(0, MAX_NAMED).map((entry) => itemOf(entry, facts.nowMs, locale)),
    note: rest.length === 0 ? null : says.rest(rest.length, restParts(rest, locale)),
    links: linksOf(facts, locale),
    customText: null,
    source: facts.groupName === null ? '' : nameOf(facts.groupName),
    atMs: facts.nowMs,
    payload: facts.payload,
  };
}

function linksOf({ acknowledgeUrl, listUrl }: DigestFacts, locale: Locale): readonly Link[] {
  const { links } = alertWords[locale];
  return [
    ...(acknowledgeUrl === null
      ? []
      : [{ label: links.acknowledgeAll, url: acknowledgeUrl, role: 'acknowledge' as const }]),
    ...(listUrl === null || listUrl === acknowledgeUrl
      ? []
      : [{ label: links.list, url: listUrl, role: 'monitor' as const }]),
  ];
}

/** Order of a digest: firing alerts first, then by severity, then the oldest first. */
function bySeverity(a: DigestEntry, b: DigestEntry): number {
  const rank = ({ isOver, severity }: DigestEntry) => (isOver ? severities.length : severities.indexOf(severity));
  return rank(a) - rank(b) || a.startedAtMs - b.startedAtMs;
}

function titleOf({ entries, groupName, isTest }: DigestFacts, locale: Locale): string {
  const counts = alertCounts(entries, locale);
  const title = groupName === null ? counts : digestWords[locale].group(nameOf(groupName), counts);
  return isTest ? alertWords[locale].titles.test(title) : title;
}

/** Numbers of some alerts that fire, by type, and of those that ended. */
export function alertCounts(entries: readonly Pick<DigestEntry, 'type' | 'isOver'>[], locale: Locale): string {
  const says = digestWords[locale];
  const firing = entries.filter(({ isOver }) => !isOver);
  const over = entries.length - firing.length;
  const overText = says.over(over);
  if (firing.length === 0) return overText;
  const firingText = says.firing(firing.length, typeParts(firing, locale));
  return over === 0 ? firingText : says.both(firingText, overText);
}

function factsOf(firing: readonly DigestEntry[], { locale, timezone }: Reader): Message['facts'] {
  if (firing.length === 0) return [];
  const says = digestWords[locale];
  const oldestMs = firing.reduce((oldest, { startedAtMs }) => Math.min(oldest, startedAtMs), Number.POSITIVE_INFINITY);
  return [
    { label: says.bySeverity, value: severityParts(firing, locale) },
    { label: says.since, value: instantText(oldestMs, { locale, timezone }) },
  ];
}

function itemOf({ type, monitor, startedAtMs, isOver }: DigestEntry, nowMs: number, locale: Locale): string {
  const says = digestWords[locale];
  const name = nameOf(monitor.name);
  if (isOver) return says.overItem(name);
  return says.item(alertWords[locale].types[type], name, durationText(nowMs - startedAtMs, locale));
}

function restParts(rest: readonly DigestEntry[], locale: Locale): string {
  const over = rest.filter(({ isOver }) => isOver).length;
  const firing = rest.filter(({ isOver }) => !isOver);
  const parts = [severityParts(firing, locale), over === 0 ? '' : digestWords[locale].over(over)];
  return parts.filter((part) => part !== '').join(alertWords[locale].separator);
}

function severityParts(entries: readonly DigestEntry[], locale: Locale): string {
  const count = (severity: Severity) => entries.filter((entry) => entry.severity === severity).length;
  const words = alertWords[locale].severities;
  return partsOf(
    severities.map((severity) => [words[severity], count(severity)]),
    locale,
  );
}

function typeParts(entries: readonly Pick<DigestEntry, 'type'>[], locale: Locale): string {
  const count = (type: DigestEntry['type']) => entries.filter((entry) => entry.type === type).length;
  const { types } = alertWords[locale];
  return partsOf(
    (['down', 'degraded', 'no_data'] as const).map((type) => [types[type], count(type)]),
    locale,
  );
}

function partsOf(counts: readonly (readonly [string, number])[], locale: Locale): string {
  const shown = counts.filter(([, count]) => count > 0);
  return shown.map(([word, count]) => digestWords[locale].part(word, count)).join(alertWords[locale].separator);
}
