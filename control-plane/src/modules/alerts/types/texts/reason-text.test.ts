import { checkErrorCodes } from '@vantage/shared/monitor-types/definition.js';
import { probeErrorCodes } from '@vantage/shared/probe-types/error-codes.js';
import t from 'tap';
import type { Locale } from '../../../../http/locale.js';
import { causeOf } from './reason-text.js';

const nowMs = Date.UTC(2026, 10, 21, 9, 20);
const causeIn = (locale: Locale, reason: string) => causeOf(reason, nowMs, { locale, timezone: 'Asia/Shanghai' });

t.test('every error that a node can report is in the language of the message, with its details', async (t) => {
  for (const code of [...probeErrorCodes, ...checkErrorCodes]) {
    const reason = `2 of 3 nodes: ${code}: some detail`;
    t.equal(causeIn('en', reason), 'some detail (2 of 3 nodes)');
    t.match(causeIn('zh-CN', reason), /^[^a-z]*\p{Script=Han}.*：some detail（3 个节点中有 2 个）$/u, code);
    t.match(causeIn('zh-TW', reason), /^[^a-z]*\p{Script=Han}.*：some detail（3 個節點中有 2 個）$/u, code);
  }
});

t.test('a reason that a heartbeat gave is translated, one that someone else wrote stays as it is', async (t) => {
  for (const [reason, text] of [
    ['it ended with exit code 3', '任务以退出码 3 结束'],
    ['it reported a failure', '任务报告失败'],
    ['a run took longer than 90 s', '一次运行超过 90 秒'],
    ['no ping came that was expected at 2026-11-21T09:13:38.000Z', '应于 17:13（Asia/Shanghai）到达的信号未到达'],
    ['note: moved to the other rack', 'note: moved to the other rack'],
  ] as const)
    t.equal(causeIn('zh-CN', reason), text);
  t.equal(
    causeIn('en', 'no ping came that was expected at 2026-11-21T09:13:38.000Z'),
    'no ping came that was expected at 17:13 (Asia/Shanghai)',
  );
});
