import t from 'tap';
import { judgeReply, type Reply } from './outcome.js';
import { MAX_ATTEMPTS } from './retry-schedule.js';

const first = { attempt: 1, random: 0.5 };
const response = (status: number, rest: Partial<Extract<Reply, { kind: 'response' }>> = {}): Reply => ({
  kind: 'response',
  status,
  isSuccess: status >= 200 && status < 300,
  retryAfterMs: null,
  command: null,
  ...rest,
});

t.test('only 2xx is success; everything else is sent again', async (t) => {
  for (const status of [200, 202, 204, 299])
    t.match(judgeReply(response(status), first), { status: 'delivered', delayMs: null, error: null });
  for (const status of [301, 302, 307, 400, 401, 404, 408, 425, 429, 500, 503, 599])
    t.match(judgeReply(response(status), first), { status: 'retrying', delayMs: 5_000, error: `status ${status}` });
});

t.test('an endpoint that does not reply is slow, and the event is sent again', async (t) => {
  const outcome = judgeReply({ kind: 'none', message: 'no whole response within 15 s' }, first);
  t.match(outcome, { status: 'retrying', isSlow: true, isGone: false, error: 'no whole response within 15 s' });
  t.match(judgeReply(response(500), first), { isSlow: false });
});

t.test('410 and the header webhook-delivery: abort-message end the attempts; only 410 ends the endpoint', async (t) => {
  t.match(judgeReply(response(410), first), { status: 'failed', delayMs: null, isGone: true });
  for (const command of ['abort-message', ' Abort-Message '])
    t.match(judgeReply(response(500, { command }), first), { status: 'failed', delayMs: null, isGone: false });
  t.match(judgeReply(response(500, { command: 'other' }), first), { status: 'retrying' });
  t.match(judgeReply(response(200, { command: 'abort-message' }), first), { status: 'delivered' });
});

t.test('Retry-After of a response is the delay', async (t) => {
  t.match(judgeReply(response(503, { retryAfterMs: 60_000 }), first), { status: 'retrying', delayMs: 60_000 });
});

t.test('the last attempt that fails ends the delivery', async (t) => {
  t.match(judgeReply(response(500), { attempt: MAX_ATTEMPTS, random: 0.5 }), { status: 'failed', delayMs: null });
});
