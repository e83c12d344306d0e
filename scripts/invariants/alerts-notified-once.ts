import { type History, type HistoryRecordOf, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

type Episode = HistoryRecordOf<'episode'>;
type Taken = HistoryRecordOf<'message-taken'>;

/** Time before an interruption at which a message may have left that no one recorded, in milliseconds. */
const IN_FLIGHT_MS = 90_000;
/** An episode that is over sooner may end before its message leaves, behind another one of its channel. */
const SHORT_MS = 10_000;
/** Longer episodes of which at least one is tried, whatever breaks. */
const SEVERAL = 3;

/**
 * I4. Each channel of an episode of trouble takes one message about its begin and one about its end. A message counts
 * by its key: it may come again under the same one, after an interruption between sending and recording. A receiver
 * that was away all the time gets neither; it was tried, unless the episode was short, or what sends was interrupted.
 */
export const alertsNotifiedOnce: Invariant = {
  id: 'I4',
  says: 'each channel takes one message about the begin and one about the end of each episode',
  evidence: ['episode'],
  check: (history) => {
    const notified = byKeyOf(history);
    const forgets = forgetFinder(history);
    const interrupted = recordsOf(history, 'sender-interrupted').map(({ at }) => at);
    const isShort = ({ startedAt, endedAt }: Episode) => endedAt !== null && endedAt - startedAt < SHORT_MS;
    const long = new Set(recordsOf(history, 'episode').flatMap((one) => (isShort(one) ? [] : [one.alertId])));
    // one may fall into a time in which all is locked; a run in which no message of several arrives is no run in order
    const isNoOneNotified = long.size >= SEVERAL && recordsOf(history, 'message-taken').length === 0;
    const mayBeUntried = (episode: Episode) =>
      episode.endedAt !== null &&
      (isShort(episode) ||
        (!isNoOneNotified && isWithin(interrupted, { from: episode.startedAt - IN_FLIGHT_MS, to: episode.endedAt })));
    return [
      ...recordsOf(history, 'episode').flatMap((episode) => breachesOf(episode, notified(episode), forgets)),
      ...recordsOf(history, 'episode')
        .filter((episode) => notified(episode).tries.every(({ about }) => about !== 'begin') && !mayBeUntried(episode))
        .map(({ channel, alertId }) => `the start of ${alertId} on ${channel} was never tried`),
      ...unknownMessages(history, forgets),
      ...doubled(history),
    ];
  },
};

/** Messages of an episode to one channel, as its receiver saw them. */
interface Notified {
  readonly opened: readonly Taken[];
  readonly resolved: readonly Taken[];
  /** Attempts, accepted or not. */
  readonly tries: readonly Taken[];
}

function byKeyOf(history: History): (episode: Episode) => Notified {
  const byEpisode = new Map<string, Taken[]>();
  for (const message of recordsOf(history, 'message-taken')) {
    const key = `${message.channel} ${message.alertId}`;
    const known = byEpisode.get(key);
    if (known === undefined) byEpisode.set(key, [message]);
    else known.push(message);
  }
  return ({ channel, alertId }) => {
    const tries = byEpisode.get(`${channel} ${alertId}`) ?? [];
    const accepted = tries.filter(({ isAccepted }) => isAccepted);
    return {
      opened: firstOfEach(accepted.filter(({ about }) => about === 'begin')),
      resolved: firstOfEach(accepted.filter(({ about }) => about === 'end')),
      tries,
    };
  };
}

function firstOfEach(messages: readonly Taken[]): Taken[] {
  const first = new Map<string, Taken>();
  for (const message of messages) if (!first.has(message.key)) first.set(message.key, message);
  return [...first.values()];
}

function breachesOf(episode: Episode, { opened, resolved }: Notified, forgets: (at: number) => boolean): string[] {
  const { channel, alertId, endedAt } = episode;
  const isOver = endedAt !== null;
  const of = `${alertId} on ${channel}`;
  const isMoreThanOnce = (messages: readonly Taken[]) => messages.length > 1 && !messages.some(({ at }) => forgets(at));
  const breaches: string[] = [];
  if (isMoreThanOnce(opened)) breaches.push(`the start of ${of} was told ${opened.length} times`);
  if (isMoreThanOnce(resolved)) breaches.push(`the end of ${of} was told ${resolved.length} times`);
  if (!isOver && opened.length === 0) breaches.push(`the start of ${of} was not told`);
  if (!isOver && resolved.length > 0) breaches.push(`the end of ${of} was told, and it has not ended`);
  // a database that has lost its notifications knows no one who waits for the end
  const isNotified = opened.length > 0 && !opened.some(({ at }) => forgets(at));
  if (isOver && isNotified && resolved.length === 0) breaches.push(`the end of ${of} was not told`);
  const [first, last] = [opened[0], resolved[0]];
  if (first !== undefined && last !== undefined && last.at < first.at)
    breaches.push(`the end of ${of} was told before its start`);
  return breaches;
}

/** Messages about alerts that the database does not know, other than what a rollback took from it. */
function unknownMessages(history: History, forgets: (at: number) => boolean): string[] {
  const known = new Set(recordsOf(history, 'episode').map(({ channel, alertId }) => `${channel} ${alertId}`));
  return recordsOf(history, 'message-taken')
    .filter(({ channel, alertId, at }) => !known.has(`${channel} ${alertId}`) && !forgets(at))
    .map(({ channel, alertId }) => `${channel} was told of ${alertId}, which does not exist`);
}

/** Messages that were accepted again under one key, where nothing had interrupted their sender. */
function doubled(history: History): string[] {
  const interrupted = recordsOf(history, 'sender-interrupted').map(({ at }) => at);
  const last = new Map<string, Taken>();
  return recordsOf(history, 'message-taken').flatMap((message) => {
    if (!message.isAccepted) return [];
    const name = `${message.channel} ${message.key}`;
    const before = last.get(name);
    last.set(name, message);
    if (before === undefined) return [];
    return isWithin(interrupted, { from: before.at - IN_FLIGHT_MS, to: message.at })
      ? []
      : [`${message.channel} was told ${message.key} again, and nothing was interrupted`];
  });
}

function isWithin(instants: readonly number[], { from, to }: { readonly from: number; readonly to: number }): boolean {
  return instants.some((at) => from <= at && at <= to);
}

/** Returns a function that is true if a message may be one that a rolled back database has forgotten; some were still in flight. */
function forgetFinder(history: History): (at: number) => boolean {
  const rollbacks = recordsOf(history, 'database-rolled-back');
  return (at) => rollbacks.some((rollback) => rollback.since <= at && at <= rollback.at + IN_FLIGHT_MS);
}
