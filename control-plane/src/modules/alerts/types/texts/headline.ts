import type { Locale } from '../../../../http/locale.js';
import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import type { AlertFacts, AlertType, Audience } from './facts.js';
import { durationText, headlineInstant } from './instants.js';
import { readReason } from './reason-text.js';

const MAX_NAME = 200;
const MAX_CAUSE = 300;

/** Sentences about a monitor, or about the job of a heartbeat. */
interface Sentences {
  readonly since: Readonly<Record<AlertType, (name: string, at: string) => string>>;
  readonly over: (name: string, at: string, duration: string) => string;
}

interface HeadlineWords {
  readonly monitor: Sentences;
  readonly job: Sentences;
  /** Sentence about a job that did not report, which needs no cause. */
  readonly silentJob: (name: string, at: string) => string;
  readonly nodes: (count: string, all: string, cause: string) => string;
  readonly because: (sentence: string, cause: string) => string;
}

const headlineWords: Readonly<Record<Locale, HeadlineWords>> = {
  en: {
    monitor: {
      since: {
        down: (name, at) => `${name} is DOWN since ${at}`,
        degraded: (name, at) => `${name} is DEGRADED since ${at}`,
        no_data: (name, at) => `${name} has NO DATA since ${at}`,
      },
      over: (name, at, duration) => `${name} is UP again since ${at}; it lasted ${duration}`,
    },
    job: {
      since: {
        down: (name, at) => `Job ${name} FAILED at ${at}`,
        degraded: (name, at) => `Job ${name} is DEGRADED since ${at}`,
        no_data: (name, at) => `Job ${name} has NO DATA since ${at}`,
      },
      over: (name, at, duration) => `Job ${name} is OK again since ${at}; it lasted ${duration}`,
    },
    silentJob: (name, at) => `Job ${name} did NOT REPORT: it is overdue since ${at}`,
    nodes: (count, all, cause) => `${count} of ${all} nodes report: ${cause}`,
    because: (sentence, cause) => `${sentence}: ${cause}`,
  },
  'zh-CN': {
    monitor: {
      since: {
        down: (name, at) => `${name} 自 ${at} 起故障`,
        degraded: (name, at) => `${name} 自 ${at} 起性能下降`,
        no_data: (name, at) => `${name} 自 ${at} 起无数据`,
      },
      over: (name, at, duration) => `${name} 自 ${at} 起恢复正常，持续 ${duration}`,
    },
    job: {
      since: {
        down: (name, at) => `任务 ${name} 于 ${at} 失败`,
        degraded: (name, at) => `任务 ${name} 自 ${at} 起性能下降`,
        no_data: (name, at) => `任务 ${name} 自 ${at} 起无数据`,
      },
      over: (name, at, duration) => `任务 ${name} 自 ${at} 起恢复正常，持续 ${duration}`,
    },
    silentJob: (name, at) => `任务 ${name} 未报到：自 ${at} 起逾期`,
    nodes: (count, all, cause) => `${all} 个节点中有 ${count} 个报告：${cause}`,
    because: (sentence, cause) => `${sentence}：${cause}`,
  },
  'zh-TW': {
    monitor: {
      since: {
        down: (name, at) => `${name} 自 ${at} 起故障`,
        degraded: (name, at) => `${name} 自 ${at} 起效能下降`,
        no_data: (name, at) => `${name} 自 ${at} 起無資料`,
      },
      over: (name, at, duration) => `${name} 自 ${at} 起恢復正常，持續 ${duration}`,
    },
    job: {
      since: {
        down: (name, at) => `工作 ${name} 於 ${at} 失敗`,
        degraded: (name, at) => `工作 ${name} 自 ${at} 起效能下降`,
        no_data: (name, at) => `工作 ${name} 自 ${at} 起無資料`,
      },
      over: (name, at, duration) => `工作 ${name} 自 ${at} 起恢復正常，持續 ${duration}`,
    },
    silentJob: (name, at) => `工作 ${name} 未報到：自 ${at} 起逾期`,
    nodes: (count, all, cause) => `${all} 個節點中有 ${count} 個回報：${cause}`,
    because: (sentence, cause) => `${sentence}：${cause}`,
  },
};

/** Sentence about an alert that stands without a title; null if it is the title (acknowledgements, and ends by a person). */
export function headlineOf(facts: AlertFacts, { locale, timezone }: Audience): string | null {
  const words = headlineWords[locale];
  const isJob = facts.monitor.type === 'heartbeat';
  const sentences = isJob ? words.job : words.monitor;
  const name = cut(oneLine(facts.monitor.name), MAX_NAME);
  const at = (atMs: number) => headlineInstant(atMs, facts.nowMs, timezone);
  if (facts.kind === 'acknowledged') return null;
  if (facts.kind === 'resolved') {
    const { resolvedAtMs, startedAtMs, resolution } = facts;
    if (resolvedAtMs === null || (resolution ?? 'recovered') !== 'recovered') return null;
    return sentences.over(name, at(resolvedAtMs), durationText(resolvedAtMs - startedAtMs, locale));
  }
  const cause = causeOf(facts.reason, words, locale);
  if (isJob && facts.type === 'down' && isSilence(facts.reason)) return words.silentJob(name, at(facts.startedAtMs));
  const sentence = sentences.since[facts.type](name, at(facts.startedAtMs));
  return cause === null ? sentence : words.because(sentence, cause);
}

/** NOTE: `failureOf` and its neighbours in monitors/heartbeats/heartbeat-state.ts write the reasons of heartbeats. */
function isSilence(reason: string | null): boolean {
  return reason?.startsWith('no ping came') === true;
}

function causeOf(reason: string | null, words: HeadlineWords, locale: Locale): string | null {
  if (reason === null || reason === '') return null;
  const { nodes, text } = readReason(oneLine(reason), locale);
  return nodes === null ? cut(text, MAX_CAUSE) : words.nodes(nodes.count, nodes.all, cut(text, MAX_CAUSE));
}
