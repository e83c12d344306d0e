import { writeFileSync } from 'node:fs';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { lookupOf } from '../src/modules/lookups/kinds/registry.js';
import { answerJob, joinNode, lookupCounts, startLookups } from './_support/lookup-world.js';
import type { TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const HOUR_MS = 3_600_000;
const metered = { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' };
const registered = { kind: 'domain', registered: true, domain: 'example.com' };
const look = (api: TestApi, query: string) => api.call('GET', `/v1/info/${query}`, { as: null });

/** Longest time that a caller of whois waits. */
function whoisDeadlineMs(): number {
  const whois = lookupOf('whois');
  return whois.runs === 'on a node' ? whois.deadlineMs : 0;
}

t.test(
  'a caller who has waited for the whole deadline gets Retry-After, and the question goes on to fill the cache',
  async (t) => {
    const clock = new FakeClock(Date.now(), { rounds: [] });
    const world = await startLookups(t, [clock], metered);
    const node = await joinNode(t, world);
    const [api] = world.apis;
    const [first, second] = [look(api, 'whois?q=example.com'), look(api, 'whois?q=www.example.com')];
    await until('the question', () => node.jobs.length === 1 && clock.begun(whoisDeadlineMs()) >= 2);
    clock.advance(whoisDeadlineMs());
    for (const one of [await first, await second]) {
      t.match(one, { status: 503, body: { error: { code: 'UNAVAILABLE', details: { q: [{}] } } } });
      t.equal(one.headers.get('retry-after'), '5');
    }
    t.equal((await world.database.db('lookup_claims')).length, 1, 'the question goes on');
    await answerJob(node, 1, { ...registered, registrar: 'late' });
    await until('the answer to be kept', async () => (await world.database.db('lookup_answers')).length === 1);
    t.match(await look(api, 'whois?q=example.com'), {
      status: 200,
      body: { data: { registrar: 'late' }, meta: { cache: { hit: true } } },
    });
    t.equal(node.jobs.length, 1, 'it was asked once');
    t.strictSame(await lookupCounts(world.replicas[0]), { 'whois miss': 1, 'whois wait': 1, 'whois hit': 1 });
  },
);

t.test('an old answer stands in while the registry fails, and while no node is online', async (t) => {
  const clock = new FakeClock(Date.now(), { rounds: [] });
  const world = await startLookups(t, [clock], metered);
  const [api] = world.apis;
  const node = await joinNode(t, world);
  const first = look(api, 'whois?q=example.com');
  await answerJob(node, 1, { ...registered, registrar: 'old' });
  t.match(await first, { status: 200, body: { data: { registrar: 'old' } } });
  const dead = look(api, 'dns?q=example.com');
  await answerJob(node, 2, { domain: 'example.com', rcode: 'NOERROR' });
  t.equal((await dead).status, 200);

  node.leave();
  clock.advance(7 * HOUR_MS);
  await until('the node to be away', async () => {
    clock.advance(1_000);
    return (await api.call('GET', `/v1/nodes/${node.identity.nodeId}`)).body.data.status === 'offline';
  });
  const old = { data: { registrar: 'old' }, meta: { cache: { hit: true, stale: true } } };
  const alone = await look(api, 'whois?q=example.com');
  t.match(alone, { status: 200, body: old });
  t.ok(alone.body.meta.cache.age_sec >= 7 * 3_600);
  t.equal(alone.headers.get('cache-control'), 'private, max-age=0');
  t.match(
    await look(api, 'dns?q=example.com'),
    { status: 503, body: { error: { code: 'UNAVAILABLE' } } },
    'dns has none',
  );

  const other = await joinNode(t, world);
  const failing = look(api, 'whois?q=example.com');
  await answerJob(other, 1, {
    success: false,
    error: { code: 'no_reply', message: 'every server refused' },
    asked: [],
  });
  t.match(await failing, { status: 200, body: old });
  t.match(await look(api, 'whois?q=example.com'), { status: 200, body: old }, 'the failure is kept');
  t.equal(other.jobs.length, 1);
  t.strictSame(await lookupCounts(world.replicas[0]), { 'whois miss': 3, 'whois stale': 3, 'dns miss': 2 });
});

t.test(
  'answers about an address of a network, and of names below a domain, that are denied now are deleted',
  async (t) => {
    const file = `${temporaryDirectory(t)}/denied`;
    writeFileSync(file, '');
    const clock = new FakeClock(Date.now(), { rounds: [] });
    const world = await startLookups(t, [clock], { VANTAGE_DENY_TARGETS_FILE: file });
    const [api] = world.apis;
    await joinNode(t, world, { isAnswering: true });
    const questions = [
      'whois?q=1.1.1.1',
      'whois?q=9.9.9.9',
      'whois?q=2606:4700::1111',
      'dns?q=example.net',
      'dns?q=www.example.net',
      'headers?q=http://www.example.net/path',
      'headers?q=http://1.1.1.1/',
      'dns?q=example.com',
    ];
    for (const query of questions) t.equal((await look(api, query)).status, 200, query);
    t.equal((await world.database.db('lookup_answers')).length, questions.length);
    writeFileSync(file, '1.1.1.0/24\n2606:4700::/32\nexample.net\n');
    await until('the answers to be deleted', async () => {
      clock.advance(30_000);
      return (await world.database.db('lookup_answers')).length === 2;
    });
    const kept = await world.database.db('lookup_answers').orderBy('subject');
    t.match(kept, [{ subject: '9.9.9.9' }, { subject: 'example.com' }]);
    // answers that are kept may be too old by now
    for (const query of questions.filter((one) => !/9\.9\.9\.9|example\.com/.test(one)))
      t.equal((await look(api, query)).status, 422, query);
  },
);
