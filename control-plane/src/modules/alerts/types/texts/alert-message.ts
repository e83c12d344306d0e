import { instantText, type Reader } from '../../../../http/instant-text.js';
import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import type { Fact, Link, Message } from '../message.js';
import type { AlertFacts, MonitorFacts } from './facts.js';
import { headlineOf } from './headline.js';
import { clockText, durationText } from './instants.js';
import { causeOf } from './reason-text.js';
import { type AlertWords, alertWords } from './words.js';

const MAX_NODES = 10;
const MAX_NAME = 200;
const MAX_SOURCE = 1_000;
const MAX_NOTE = 500;

/** Default message about one alert. */
export function alertMessage(facts: AlertFacts, { locale, timezone }: Reader): Message {
  const words = alertWords[locale];
  const isOver = facts.kind === 'resolved';
  const headline = headlineOf(facts, { locale, timezone });
  return {
    id: facts.id,
    thread: facts.thread,
    kind: facts.kind,
    severity: facts.severity,
    locale,
    timezone,
    isOver,
    title: titleOf(facts, words),
    ...(headline === null ? {} : { headline: facts.isTest ? words.titles.test(headline) : headline }),
    facts: factsOf(facts, { words, locale, timezone, headline }),
    items: [],
    note: noteOf(facts, words, { locale, timezone }),
    links: isOver ? linksOf({ ...facts, acknowledgeUrl: null }, words) : linksOf(facts, words),
    customText: null,
    source: sourceOf(facts),
    atMs: isOver ? (facts.resolvedAtMs ?? facts.nowMs) : facts.nowMs,
    payload: facts.payload,
  };
}

/** Name of a monitor on one line, not too long. */
export function nameOf(name: string): string {
  return cut(oneLine(name), MAX_NAME);
}

/** The first names of a list and the number of the rest. */
export function someOf(names: readonly string[], words: AlertWords, most = MAX_NODES): string {
  const shown = names.slice(0, most).map(nameOf).join(words.separator);
  return names.length <= most ? shown : `${shown}${words.separator}${words.more(names.length - most)}`;
}

function titleOf({ kind, type, monitor, resolution, isTest }: AlertFacts, words: AlertWords): string {
  const { titles, types, resolutions } = words;
  const name = nameOf(monitor.name);
  const title = () => {
    switch (kind) {
      case 'resolved':
        return titles.resolved(resolutions[resolution ?? 'recovered'], name);
      case 'acknowledged':
        return titles.acknowledged(name);
      default:
        return titles[kind](types[type], name);
    }
  };
  return isTest ? titles.test(title()) : title();
}

function factsOf(
  facts: AlertFacts,
  { words, locale, timezone, headline }: Reader & { readonly words: AlertWords; readonly headline: string | null },
): readonly Fact[] {
  const { labels, severities } = words;
  const { kind, startedAtMs, resolvedAtMs, reason, nodes, nowMs, acknowledgedBy, note, monitor } = facts;
  const isOver = kind === 'resolved';
  // the sentence has these
  const isSaid = headline !== null;
  const lines: readonly (readonly [string, string])[] = [
    [labels.severity, isOver ? '' : severities[facts.severity]],
    [labels.target, targetOf(monitor)],
    [labels.since, instantText(startedAtMs, { locale, timezone })],
    [labels.until, resolvedAtMs === null ? '' : instantText(resolvedAtMs, { locale, timezone })],
    [labels.duration, isSaid ? '' : durationText((resolvedAtMs ?? nowMs) - startedAtMs, locale)],
    [labels.reason, isSaid && !isOver ? '' : (causeOf(reason, nowMs, { locale, timezone }) ?? '')],
    [labels.nodes, someOf(nodes, words)],
    [
      labels.acknowledgedBy,
      acknowledgedBy === null || (isSaid && kind === 'acknowledged') ? '' : nameOf(acknowledgedBy),
    ],
    [labels.note, note === null ? '' : cut(oneLine(note), MAX_NOTE)],
  ];
  return lines.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }));
}

/** Target of a monitor for people; empty for a heartbeat, whose target is the start of a token. */
export function targetOf({ type, target }: Pick<MonitorFacts, 'type' | 'target'>): string {
  return type === 'heartbeat' ? '' : oneLine(target);
}

function noteOf(facts: AlertFacts, words: AlertWords, audience: Reader): string | null {
  const { failedChannels, nextStepAtMs, nextReminderAtMs, kind, nowMs } = facts;
  const failed = failedChannels.map(({ name, error }) => words.failedChannel(nameOf(name), nameOf(error)));
  const at = (atMs: number) => clockText(atMs, nowMs, audience);
  const sentences = [
    failed.length === 0 ? '' : words.failedChannels(failed.join(words.separator)),
    kind === 'resolved' || nextStepAtMs === null ? '' : words.nextStep(at(nextStepAtMs)),
    kind === 'resolved' || nextReminderAtMs === null ? '' : words.nextReminder(at(nextReminderAtMs)),
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? null : sentences.join(' ');
}

function linksOf({ acknowledgeUrl, monitorUrl }: AlertFacts, { links }: AlertWords): readonly Link[] {
  return [
    ...(acknowledgeUrl === null
      ? []
      : [{ label: links.acknowledge, url: acknowledgeUrl, role: 'acknowledge' as const }]),
    // the same page: one link to it
    ...(monitorUrl === null || monitorUrl === acknowledgeUrl
      ? []
      : [{ label: links.monitor, url: monitorUrl, role: 'monitor' as const }]),
  ];
}

function sourceOf({ monitor }: AlertFacts): string {
  const target = targetOf(monitor);
  return target === '' ? nameOf(monitor.name) : cut(target, MAX_SOURCE);
}
