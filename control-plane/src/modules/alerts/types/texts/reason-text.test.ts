import { checkErrorCodes } from '@vantage/shared/monitor-types/definition.js';
import { probeErrorCodes } from '@vantage/shared/probe-types/error-codes.js';
import t from 'tap';
import { readReason, reasonText } from './reason-text.js';

t.test('every error that a node can report is in the language of the message, the original behind it', async (t) => {
  for (const code of [...probeErrorCodes, ...checkErrorCodes]) {
    const reason = `2 of 3 nodes: ${code}: some detail`;
    t.equal(reasonText(reason, 'en'), reason);
    t.match(readReason(reason, 'zh-CN').text, /^[^a-z]*\p{Script=Han}/u, code);
    t.match(reasonText(reason, 'zh-TW'), new RegExp(`^3 個節點中有 2 個：.*（${code}: some detail）$`), code);
  }
  t.equal(
    reasonText('2 of 3 nodes: assertion_failed: the status is 503, expected 2xx', 'zh-CN'),
    '3 个节点中有 2 个：状态码为 503，应为 2xx（assertion_failed: the status is 503, expected 2xx）',
  );
});

t.test('a reason that a heartbeat gave is translated, one that someone else wrote stays as it is', async (t) => {
  for (const [reason, text] of [
    ['it ended with exit code 3', '任务以退出码 3 结束'],
    ['it reported a failure', '任务报告失败'],
    ['a run took longer than 90 s', '一次运行超过 90 秒'],
    ['no ping came that was expected at 2026-11-21T09:13:38.000Z', '应在 2026-11-21T09:13:38.000Z 到达的信号未到达'],
    ['note: moved to the other rack', 'note: moved to the other rack'],
  ] as const)
    t.equal(reasonText(reason, 'zh-CN'), text);
});
