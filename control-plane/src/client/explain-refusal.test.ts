import t from 'tap';
import { ApiRefusal } from './api-client.js';
import { explainRefusal, optionOf } from './explain-refusal.js';

const nowMs = Date.parse('2026-11-27T12:00:00.500Z');
const anonymous = { hasToken: false, nowMs };

t.test('fields of the API are options of the command', async (t) => {
  for (const [field, option] of [
    ['params.count', '--count'],
    ['params.record_type', '--record-type'],
    ['params.headers.X-A', '--headers'],
    ['nodes.countries.0', '--from'],
    ['nodes.limit', '--limit'],
    ['target', 'target'],
  ] as const)
    t.equal(optionOf(field), option);
  const details = { 'params.count': [{ message: 'must be at most 50' }] };
  const error = new ApiRefusal(400, 'VALIDATION_FAILED', 'The request is not valid.', details);
  t.equal(
    explainRefusal(error, anonymous),
    'The request is not valid. (VALIDATION_FAILED)\n  --count: must be at most 50',
  );
});

t.test(
  'a limit that is reached says its size, its window and the seconds to wait, and what an account changes',
  async (t) => {
    const allowance = { limit: 20, resetsAt: '2026-11-27T12:00:34.000Z' };
    const error = new ApiRefusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.', {}, allowance);
    const lines = explainRefusal(error, anonymous).split('\n');
    t.strictSame(lines, [
      'Too many requests. (RATE_LIMIT_EXCEEDED)',
      '  the limit is 20; the window ends at 12:00:34 UTC: wait 34 s',
      '  with an account the limits are higher, and its own: `vantage login`',
    ]);
    t.equal(explainRefusal(error, { ...anonymous, hasToken: true }).split('\n').length, 2);
  },
);
