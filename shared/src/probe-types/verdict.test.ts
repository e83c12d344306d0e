import t from 'tap';
import type { ProbeType } from './index.js';
import { verdictOf, verdictWords } from './verdict.js';

t.test('a result that was measured is judged by what was measured', async (t) => {
  const cases: readonly (readonly [ProbeType, object, string, string])[] = [
    ['http', { status_code: 200 }, 'good', 'ok'],
    ['http', { status_code: 304 }, 'good', 'ok'],
    ['http', { status_code: 404 }, 'bad', 'HTTP 404'],
    ['http', { status_code: 500 }, 'bad', 'HTTP 500'],
    ['ssl', { grade: 'A-' }, 'good', 'grade A-'],
    ['ssl', { grade: 'B' }, 'warn', 'grade B'],
    ['ssl', { grade: 'F' }, 'bad', 'grade F'],
    ['ssl', { grade: 'M' }, 'bad', 'grade M'],
    ['ssl', { grade: 'T' }, 'bad', 'grade T'],
    ['ping', { loss_pct: 0 }, 'good', 'ok'],
    ['ping', { loss_pct: 25 }, 'warn', '25 % loss'],
    ['mtr', { reached: false }, 'warn', 'not reached'],
    ['tcp', {}, 'good', 'ok'],
  ];
  for (const [type, fields, look, word] of cases)
    t.strictSame(verdictOf(type, { success: true, error: null, ...fields }), { look, word }, JSON.stringify(fields));
  const refused = { success: false, error: { code: 'tcp_refused' }, status_code: 200 };
  t.strictSame(verdictOf('http', refused), { look: 'bad', word: 'tcp_refused' });
  t.equal(verdictOf('tcp', { success: true, error: null }, verdictWords['zh-CN']).word, '正常');
});
