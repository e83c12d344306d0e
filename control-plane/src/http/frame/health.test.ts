import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startTestServer } from '../../../test/_support/http-server.js';
import { createLogger } from '../../runtime/log.js';
import { healthRoutes, type ReadinessCheck } from './health.js';

const silent = createLogger('silent');
const good: ReadinessCheck = { name: 'bus', check: async () => {} };
const bad: ReadinessCheck = { name: 'database', check: () => Promise.reject(new Error('password of the database')) };

const of = (checks: readonly ReadinessCheck[]) => ({
  checks,
  notices: (): string[] => [],
  clock: new FakeClock(),
  log: silent,
});

t.test('/healthz answers 200 whatever is missing, and looks at no credentials', async (t) => {
  const { url } = await startTestServer(t, healthRoutes(of([bad])));
  const response = await fetch(`${url}/healthz`, { headers: { Authorization: 'Bearer nobody' } });
  t.equal(response.status, 200);
  t.strictSame(await response.json(), { status: 'ok', checks: [] });
});

t.test('/readyz is 200 when every check passes, else 503 that names what is missing and not why', async (t) => {
  const ready = await startTestServer(t, healthRoutes(of([good])));
  t.equal((await fetch(`${ready.url}/readyz`)).status, 200);
  const missing = await startTestServer(t, healthRoutes(of([good, bad])));
  const response = await fetch(`${missing.url}/readyz`);
  t.equal(response.status, 503);
  t.equal(response.headers.get('retry-after'), '5');
  t.strictSame(await response.json(), {
    status: 'unavailable',
    checks: [
      { name: 'bus', ok: true },
      { name: 'database', ok: false },
    ],
  });
});

t.test('a check that hangs counts as failed', async (t) => {
  const clock = new FakeClock();
  const hanging: ReadinessCheck = { name: 'database', check: () => new Promise(() => {}) };
  const { url } = await startTestServer(t, healthRoutes({ ...of([hanging]), clock }));
  const response = fetch(`${url}/readyz`);
  await until('the check to begin', () => clock.pendingTimers > 0);
  clock.advance(3_000);
  t.equal((await response).status, 503);
  t.equal(clock.pendingTimers, 0);
});

t.test('a check whose reply had arrived when its time was over has passed', async (t) => {
  const clock = new FakeClock();
  let answer = () => {};
  const slow: ReadinessCheck = { name: 'database', check: () => new Promise((resolve) => (answer = resolve)) };
  const { url } = await startTestServer(t, healthRoutes({ ...of([slow]), clock }));
  const response = fetch(`${url}/readyz`);
  await until('the check to begin', () => clock.pendingTimers > 0);
  clock.advance(3_000);
  answer();
  t.equal((await response).status, 200);
});

t.test('/readyz reports notices for the operator, and is ready nevertheless', async (t) => {
  const { url } = await startTestServer(t, healthRoutes({ ...of([good]), notices: () => ['a database is old'] }));
  const response = await fetch(`${url}/readyz`);
  t.equal(response.status, 200);
  t.match(await response.json(), { status: 'ok', notices: ['a database is old'] });
});
