import type { CheckErrorCode } from '@vantage/shared/monitor-types/definition.js';
import { probeErrorTexts } from '@vantage/shared/probe-types/error-texts.js';
import type { Reader } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';
import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import { clockText } from './instants.js';

/** Reason of a job that reported its failure and no more: the headline of such an alert says it. */
export const REPORTED_FAILURE = 'it reported a failure';
/** Greatest length of a reason: error texts of targets may be any length. */
const MAX_CAUSE = 300;

/**
 * Reason of an event for people, without the code that logs and the API have: `connection refused (2 of 3 nodes)`; null if there is none.
 * NOTE: monitors/judging/event-reason.ts writes the reasons of nodes: `2 of 3 nodes: http_timeout: no response`.
 */
export function causeOf(reason: string | null, nowMs: number, audience: Reader): string | null {
  if (reason === null || reason === '') return null;
  const { locale } = audience;
  const line = oneLine(reason);
  const [, count, all, error] = /^(\d+) of (\d+) nodes: (.*)$/s.exec(line) ?? [];
  if (error === undefined) return cut(jobCause(line, nowMs, audience) ?? errorText(line, locale), MAX_CAUSE);
  return `${cut(errorText(error, locale), MAX_CAUSE)}${votes[locale](count ?? '', all ?? '')}`;
}

/** Instant at which a job that did not report was due, in milliseconds since the epoch; null if the reason is another one. */
export function dueAt(reason: string | null): number | null {
  const [, at] = /^no ping came that was expected at (\S+)$/.exec(reason ?? '') ?? [];
  const atMs = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(atMs) ? null : atMs;
}

const votes: Readonly<Record<Locale, (count: string, all: string) => string>> = {
  en: (count, all) => ` (${count} of ${all} ${all === '1' ? 'node' : 'nodes'})`,
  'zh-CN': (count, all) => `（${all} 个节点中有 ${count} 个）`,
  'zh-TW': (count, all) => `（${all} 個節點中有 ${count} 個）`,
};

function errorText(error: string, locale: Locale): string {
  const [, code, message] = /^([a-z_]+)(?:: (.*))?$/s.exec(error) ?? [];
  if (code === undefined || !isKnown(code)) return error;
  const detail = message === undefined || message === '' ? null : message;
  if (locale === 'en') return detail ?? error;
  const column = locale === 'zh-CN' ? 0 : 1;
  if (detail === null) return codes[code][column];
  const [, found, expected] = /^(?:the )?status is (\d+), expected (.+)$/s.exec(detail) ?? [];
  if (code !== 'assertion_failed' || found === undefined || expected === undefined)
    return `${codes[code][column]}：${detail}`;
  return [`状态码为 ${found}，应为 ${expected}`, `狀態碼為 ${found}，應為 ${expected}`][column] ?? error;
}

type Pair = readonly [simplified: string, traditional: string];

/** NOTE: `failureOf` and its neighbours in monitors/heartbeats/heartbeat-state.ts write these reasons. */
function jobCause(reason: string, nowMs: number, audience: Reader): string | null {
  const { locale } = audience;
  const dueAtMs = dueAt(reason);
  if (dueAtMs !== null) return missed[locale](clockText(dueAtMs, nowMs, audience));
  return locale === 'en' ? null : (jobReason(reason)?.[locale === 'zh-CN' ? 0 : 1] ?? null);
}

const missed: Readonly<Record<Locale, (at: string) => string>> = {
  en: (at) => `no ping came that was expected at ${at}`,
  'zh-CN': (at) => `应于 ${at}到达的信号未到达`,
  'zh-TW': (at) => `應於 ${at}到達的訊號未到達`,
};

function jobReason(reason: string): Pair | null {
  if (reason === REPORTED_FAILURE) return ['任务报告失败', '工作回報失敗'];
  if (reason === 'its message lacks the text it must contain')
    return ['任务的消息缺少必须包含的文字', '工作的訊息缺少必須包含的文字'];
  const [, exitCode] = /^it ended with exit code (\d+)$/.exec(reason) ?? [];
  if (exitCode !== undefined) return [`任务以退出码 ${exitCode} 结束`, `工作以結束代碼 ${exitCode} 結束`];
  const [, seconds] = /^a run took longer than ([\d.]+) s$/.exec(reason) ?? [];
  return seconds === undefined ? null : [`一次运行超过 ${seconds} 秒`, `一次執行超過 ${seconds} 秒`];
}

function isKnown(code: string): code is keyof typeof codes {
  return Object.hasOwn(codes, code);
}

/** Errors of probes and checks in Simplified and Traditional Chinese. */
const codes: Readonly<Record<CheckErrorCode, Pair>> = {
  ...probeErrorTexts,
  assertion_failed: ['不符合断言', '不符合斷言'],
  expected_to_fail: ['检查成功，但应当失败', '檢查成功，但應當失敗'],
};
