import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import type { Fact, Link, Message } from '../message.js';
import type { AlertFacts, Audience } from './facts.js';
import { headlineOf } from './headline.js';
import { durationText, instantText } from './instants.js';
import { reasonText } from './reason-text.js';
import { type AlertWords, alertWords } from './words.js';

const MAX_NODES = 10;
const MAX_NAME = 200;
/** Greatest length of a reason: error texts of targets may be any length. */
const MAX_REASON = 1_000;

/** Default message about one alert. */
export function alertMessage(facts: AlertFacts, { locale, timezone }: Audience): Message {
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
    facts: factsOf(facts, { words, locale, timezone }),
    items: [],
    note: noteOf(facts, words, timezone),
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
  { words, locale, timezone }: Audience & { readonly words: AlertWords },
): readonly Fact[] {
  const { labels, severities } = words;
  const { startedAtMs, resolvedAtMs, reason, nodes, acknowledgedBy, monitor } = facts;
  const endMs = resolvedAtMs ?? facts.nowMs;
  const lines: readonly (readonly [string, string])[] = [
    [labels.severity, facts.kind === 'resolved' ? '' : severities[facts.severity]],
    [labels.target, oneLine(monitor.target)],
    [labels.since, instantText(startedAtMs, timezone)],
    [labels.until, resolvedAtMs === null ? '' : instantText(resolvedAtMs, timezone)],
    [labels.duration, facts.kind === 'firing' ? '' : durationText(endMs - startedAtMs, locale)],
    [labels.reason, reason === null ? '' : cut(reasonText(oneLine(reason), locale), MAX_REASON)],
    [labels.nodes, someOf(nodes, words)],
    [labels.acknowledgedBy, acknowledgedBy === null ? '' : nameOf(acknowledgedBy)],
  ];
  return lines.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }));
}

function noteOf(facts: AlertFacts, words: AlertWords, timezone: string): string | null {
  const { failedChannels, nextStepAtMs, nextReminderAtMs, kind } = facts;
  const failed = failedChannels.map(({ name, error }) => words.failedChannel(nameOf(name), nameOf(error)));
  const sentences = [
    failed.length === 0 ? '' : words.failedChannels(failed.join(words.separator)),
    kind === 'resolved' || nextStepAtMs === null ? '' : words.nextStep(instantText(nextStepAtMs, timezone)),
    kind === 'resolved' || nextReminderAtMs === null ? '' : words.nextReminder(instantText(nextReminderAtMs, timezone)),
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
  return monitor.target === '' ? nameOf(monitor.name) : cut(oneLine(monitor.target), MAX_REASON);
}
