import t from 'tap';
import { judge } from './judge.js';

const NOW = Date.UTC(2026, 0, 1);

t.test('only 2xx is success, and only temporary failures are retried', async (t) => {
  for (const status of [200, 202, 204, 299]) t.same(judge(status, {}, NOW), { ok: true }, String(status));
  const refusals: readonly (readonly [number, string, boolean])[] = [
    [301, 'redirected', false],
    [307, 'redirected', false],
    [400, 'rejected', false],
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [404, 'not_found', false],
    [408, 'unavailable', true],
    [410, 'gone', false],
    [413, 'rejected', false],
    [425, 'unavailable', true],
    [429, 'rate_limited', true],
    [500, 'unavailable', true],
    [503, 'unavailable', true],
    [599, 'unavailable', true],
  ];
  for (const [status, reason, isRetryable] of refusals)
    t.same(judge(status, {}, NOW), { ok: false, reason, isRetryable, retryAfterMs: null }, String(status));
});

t.test('Retry-After is read in both forms, and only for temporary failures', async (t) => {
  const cases: readonly (readonly [number, string | string[], number | null])[] = [
    [429, '30', 30_000],
    [503, ' 0 ', 0],
    [503, 'Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    [503, 'Thursday, 01-Jan-26 00:02:00 GMT', 120_000],
    [503, 'Thu Jan  1 00:02:00 2026', 120_000],
    [503, 'Thu, 01 Jan 2015 00:00:00 GMT', 0],
    [503, 'soon', null],
    [503, '-5', null],
    [503, '1e9', null],
    [503, ['1', '2'], null],
    [404, '30', null],
  ];
  for (const [status, header, retryAfterMs] of cases)
    t.match(judge(status, { 'retry-after': header }, NOW), { retryAfterMs }, `${status} ${header}`);
});
