import t from 'tap';
import { ApiRefusal } from './api-client.js';
import { explainRefusal, optionOf } from './explain-refusal.js';

const nowMs = Date.parse('2026-11-27T12:00:00.500Z');
const anonymous = { hasToken: false, nowMs };

t.test('fields of the API are options of the command, and a refusal begins with the first of them', async (t) => {
  for (const [field, option] of [
    ['params.count', '--count'],
    ['params.record_type', '--record-type'],
    ['params.headers.X-A', '--headers'],
    ['params.timeout_ms', '--timeout'],
    ['nodes.countries.0', '--from'],
    ['nodes.limit', '--limit'],
    ['target', 'target'],
  ] as const)
    t.equal(optionOf(field), option);
  const details = { 'params.count': [{ message: 'must be at most 50' }], target: [{ message: 'is required' }] };
  const error = new ApiRefusal(400, 'VALIDATION_FAILED', 'The request is not valid.', details);
  t.equal(explainRefusal(error, anonymous), '--count: must be at most 50 (VALIDATION_FAILED)\n  target: is required');
});

t.test(
  'a limit that is reached says its size, its window and the time to wait, and what an account changes',
  async (t) => {
    const allowance = { limit: 30, resetsAt: '2026-11-27T12:00:34.000Z', windowSeconds: 60 };
    const details = { requests: [{ message: 'at most 30 in a minute; an account has 60' }] };
    const error = new ApiRefusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.', details, allowance);
    const lines = explainRefusal(error, anonymous).split('\n');
    t.strictSame(lines, [
      'Too many requests. (RATE_LIMIT_EXCEEDED)',
      '  the limit is 30 in a minute; it starts again at 12:00:34 UTC: wait 34 s',
      '  an account has 60: `vantage login`',
    ]);
    t.equal(explainRefusal(error, { ...anonymous, hasToken: true }).split('\n').length, 2);
    const quota = { node_tests: [{ message: '3 are needed, and 0 of 30 are left today; an account has 1000' }] };
    t.match(explainRefusal(new ApiRefusal(429, 'QUOTA_EXCEEDED', '', quota, allowance), anonymous).split('\n'), [
      'node tests: 3 are needed, and 0 of 30 are left today (QUOTA_EXCEEDED)',
      /the limit is 30/,
      '  an account has 1000: `vantage login`',
    ]);
  },
);

t.test('the wait for a limit is as long as its window, and a standing limit has none', async (t) => {
  const textOf = (code: string, allowance: NonNullable<ApiRefusal['allowance']>) =>
    explainRefusal(new ApiRefusal(429, code, '', {}, allowance), { ...anonymous, hasToken: true }).split('\n')[1];
  const day = { limit: 250, resetsAt: '2026-11-28T00:00:00.000Z', windowSeconds: 86_400 };
  const month = { limit: 1_000, resetsAt: '2026-12-01T00:00:00.000Z', windowSeconds: 30 * 86_400 };
  const cap = { limit: 10, resetsAt: '2026-11-28T12:00:00.000Z', windowSeconds: null };
  t.equal(textOf('QUOTA_EXCEEDED', day), '  the limit is 250 in a day; it starts again at 00:00:00 UTC: wait 12 h');
  t.equal(
    textOf('QUOTA_EXCEEDED', month),
    '  the limit is 1000 in a month; it starts again at 2026-12-01: wait 3 d 12 h',
  );
  t.equal(textOf('MONITOR_LIMIT_EXCEEDED', cap), '  the limit is 10, however long you wait');
});
