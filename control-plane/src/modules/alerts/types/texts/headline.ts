import type { Reader } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';
import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import type { AlertFacts, AlertType, MonitorFacts } from './facts.js';
import { clockText, durationText } from './instants.js';
import { causeOf, dueAt, REPORTED_FAILURE } from './reason-text.js';

const MAX_NAME = 200;
const MINUTE_MS = 60_000;

/** Sentences about a monitor, or about the job of a heartbeat. `duration`: null within the first minute. */
interface Sentences {
  readonly lasting: Readonly<Record<AlertType, (name: string, duration: string | null) => string>>;
  readonly over: Readonly<Record<AlertType, (name: string, duration: string) => string>>;
}

interface HeadlineWords {
  readonly monitor: Sentences;
  readonly job: Sentences;
  /** Sentence about a job that did not report, which needs no cause. */
  readonly silentJob: (name: string, at: string) => string;
  readonly kinds: Readonly<Record<'firing' | 'severity' | 'reminder' | 'escalation', (sentence: string) => string>>;
  readonly acknowledged: (by: string, sentence: string) => string;
  readonly because: (sentence: string, cause: string) => string;
}

/** For how long, in English: `is down`, `has been down for 4 min`. */
const being = (what: string) => (name: string, duration: string | null) =>
  duration === null ? `${name} is ${what}` : `${name} has been ${what} for ${duration}`;

/** The same in Chinese: `故障`, `已故障 4 分钟`. */
const lasting = (what: string) => (name: string, duration: string | null) =>
  duration === null ? `${name} ${what}` : `${name} 已${what} ${duration}`;

const headlineWords: Readonly<Record<Locale, HeadlineWords>> = {
  en: {
    monitor: {
      lasting: { down: being('down'), degraded: being('degraded'), no_data: being('without data') },
      over: {
        down: (name, duration) => `${name} is up again; it was down for ${duration}`,
        degraded: (name, duration) => `${name} is up again; it was degraded for ${duration}`,
        no_data: (name, duration) => `${name} is up again; it was without data for ${duration}`,
      },
    },
    job: {
      lasting: {
        down: (name, duration) => (duration === null ? `Job ${name} failed` : `Job ${name} failed ${duration} ago`),
        degraded: (name, duration) => `Job ${being('degraded')(name, duration)}`,
        no_data: (name, duration) => `Job ${being('without data')(name, duration)}`,
      },
      over: {
        down: (name, duration) => `Job ${name} is OK again after ${duration}`,
        degraded: (name, duration) => `Job ${name} is OK again after ${duration}`,
        no_data: (name, duration) => `Job ${name} is OK again after ${duration}`,
      },
    },
    silentJob: (name, at) => `Job ${name} did not report; it was due at ${at}`,
    kinds: {
      firing: (sentence) => sentence,
      severity: (sentence) => `Severity raised: ${sentence}`,
      reminder: (sentence) => `Reminder: ${sentence}`,
      escalation: (sentence) => `Not acknowledged yet: ${sentence}`,
    },
    acknowledged: (by, sentence) => `${by} acknowledged: ${sentence}`,
    because: (sentence, cause) => `${sentence}: ${cause}`,
  },
  'zh-CN': {
    monitor: {
      lasting: { down: lasting('故障'), degraded: lasting('性能下降'), no_data: lasting('无数据') },
      over: {
        down: (name, duration) => `${name} 已恢复正常，故障持续 ${duration}`,
        degraded: (name, duration) => `${name} 已恢复正常，性能下降持续 ${duration}`,
        no_data: (name, duration) => `${name} 已恢复正常，无数据持续 ${duration}`,
      },
    },
    job: {
      lasting: {
        down: (name, duration) => (duration === null ? `任务 ${name} 失败` : `任务 ${name} 于 ${duration}前失败`),
        degraded: (name, duration) => `任务 ${lasting('性能下降')(name, duration)}`,
        no_data: (name, duration) => `任务 ${lasting('无数据')(name, duration)}`,
      },
      over: {
        down: (name, duration) => `任务 ${name} 在 ${duration}后恢复正常`,
        degraded: (name, duration) => `任务 ${name} 在 ${duration}后恢复正常`,
        no_data: (name, duration) => `任务 ${name} 在 ${duration}后恢复正常`,
      },
    },
    silentJob: (name, at) => `任务 ${name} 未报到，应于 ${at}报到`,
    kinds: {
      firing: (sentence) => sentence,
      severity: (sentence) => `级别上升：${sentence}`,
      reminder: (sentence) => `提醒：${sentence}`,
      escalation: (sentence) => `尚未确认：${sentence}`,
    },
    acknowledged: (by, sentence) => `${by} 已确认：${sentence}`,
    because: (sentence, cause) => `${sentence}：${cause}`,
  },
  'zh-TW': {
    monitor: {
      lasting: { down: lasting('故障'), degraded: lasting('效能下降'), no_data: lasting('無資料') },
      over: {
        down: (name, duration) => `${name} 已恢復正常，故障持續 ${duration}`,
        degraded: (name, duration) => `${name} 已恢復正常，效能下降持續 ${duration}`,
        no_data: (name, duration) => `${name} 已恢復正常，無資料持續 ${duration}`,
      },
    },
    job: {
      lasting: {
        down: (name, duration) => (duration === null ? `工作 ${name} 失敗` : `工作 ${name} 於 ${duration}前失敗`),
        degraded: (name, duration) => `工作 ${lasting('效能下降')(name, duration)}`,
        no_data: (name, duration) => `工作 ${lasting('無資料')(name, duration)}`,
      },
      over: {
        down: (name, duration) => `工作 ${name} 在 ${duration}後恢復正常`,
        degraded: (name, duration) => `工作 ${name} 在 ${duration}後恢復正常`,
        no_data: (name, duration) => `工作 ${name} 在 ${duration}後恢復正常`,
      },
    },
    silentJob: (name, at) => `工作 ${name} 未報到，應於 ${at}報到`,
    kinds: {
      firing: (sentence) => sentence,
      severity: (sentence) => `等級上升：${sentence}`,
      reminder: (sentence) => `提醒：${sentence}`,
      escalation: (sentence) => `尚未確認：${sentence}`,
    },
    acknowledged: (by, sentence) => `${by} 已確認：${sentence}`,
    because: (sentence, cause) => `${sentence}：${cause}`,
  },
};

/** Facts that a sentence about an alert needs. */
export type StateFacts = Pick<AlertFacts, 'type' | 'monitor' | 'nowMs' | 'startedAtMs' | 'reason'>;

/** Sentence about an alert, the reason included; null if the title is it (ends by a person, or of a monitor that is no longer watched). */
export function headlineOf(facts: AlertFacts, audience: Reader): string | null {
  const { kind, acknowledgedBy } = facts;
  const words = headlineWords[audience.locale];
  if (kind === 'resolved') return overSentence(facts, audience);
  if (kind !== 'acknowledged') return words.kinds[kind](stateSentence(facts, audience));
  const by = acknowledgedBy === null ? null : nameOf(acknowledgedBy);
  return by === null ? null : words.acknowledged(by, stateSentence(facts, audience));
}

/** Sentence about the state of a monitor and its reason: `Shop has been down for 4 min: connection refused`. */
export function stateSentence({ type, monitor, nowMs, startedAtMs, reason }: StateFacts, audience: Reader): string {
  const words = headlineWords[audience.locale];
  const name = nameOf(monitor.name);
  const isJob = isHeartbeat(monitor);
  const dueAtMs = isJob && type === 'down' ? dueAt(reason) : null;
  if (dueAtMs !== null) return words.silentJob(name, clockText(dueAtMs, nowMs, audience));
  const forMs = nowMs - startedAtMs;
  const duration = forMs < MINUTE_MS ? null : durationText(forMs, audience.locale);
  const sentence = (isJob ? words.job : words.monitor).lasting[type](name, duration);
  const isSaid = isJob && type === 'down' && reason === REPORTED_FAILURE;
  const cause = isSaid ? null : causeOf(reason, nowMs, audience);
  return cause === null ? sentence : words.because(sentence, cause);
}

/** Sentence about a monitor that recovered; null if it did not, or not by itself. */
export function overSentence(
  {
    type,
    monitor,
    startedAtMs,
    resolvedAtMs,
    resolution,
  }: Omit<StateFacts, 'nowMs' | 'reason'> & Pick<AlertFacts, 'resolvedAtMs' | 'resolution'>,
  { locale }: Reader,
): string | null {
  if (resolvedAtMs === null || (resolution ?? 'recovered') !== 'recovered') return null;
  const words = headlineWords[locale];
  const { over } = isHeartbeat(monitor) ? words.job : words.monitor;
  return over[type](nameOf(monitor.name), durationText(resolvedAtMs - startedAtMs, locale));
}

function isHeartbeat({ type }: Pick<MonitorFacts, 'type'>): boolean {
  return type === 'heartbeat';
}

function nameOf(name: string): string {
  return cut(oneLine(name), MAX_NAME);
}
