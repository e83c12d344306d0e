import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { answerJob, joinNode, startLookups } from './_support/lookup-world.js';

t.test('a page shows what is known, a visit asks no node, and the button asks as the caller', async (t) => {
  const world = await startLookups(t, [systemClock]);
  const node = await joinNode(t, world);
  const [{ url }] = world.apis;
  const page = `${url}/lookup/ssl/example.com`;
  const visit = async (method: string, headers: Record<string, string> = {}, address = page) => {
    const response = await fetch(address, { method, headers });
    return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
  };
  const unknown = await visit('GET');
  t.match(unknown, { status: 200, headers: { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' } });
  t.match(unknown.text, /There is no answer in memory\.[\s\S]*<form method="post"[^>]*>[\s\S]*Ask now/);
  t.notMatch(unknown.text, /<script/);
  t.equal((await visit('POST', { 'sec-fetch-site': 'cross-site' })).status, 403, 'not by a form of another site');
  t.equal(node.jobs.length, 0);
  const asked = visit('POST', { 'accept-language': 'zh-TW' });
  await answerJob(node, 1, { grade: 'A', domain: 'example.com', subject: '<b>\u001b[2J', port: 443 });
  const answered = await asked;
  t.equal(answered.status, 200);
  t.match(answered.text, /lang="zh-TW"[\s\S]*剛剛查詢。/);
  const known = await visit('GET', {}, `${page}?lang=zh-CN`);
  t.match(known.text, /<dt>grade<\/dt><dd>A<\/dd>[\s\S]*来自缓存，\d+ 秒前查询。[\s\S]*重新查询/);
  t.match(known.text, '&lt;b&gt;·[2J', 'what a server chose is text');
  await until('nothing more to be asked', () => node.jobs.length === 1);
  t.match(await visit('GET', {}, `${url}/lookup/whois/10.0.0.1`), { status: 422, text: /10\.0\.0\.1[\s\S]*No answer/ });
  const refused = await visit('GET', {}, `${url}/lookup/whois/10.0.0.1?lang=zh-TW`);
  t.match(refused.text, '<p class="text" lang="zh-TW">不允許使用位址 10.0.0.1：10.0.0.0/8 是私有位址，RFC 1918</p>');
  t.match(await visit('GET', {}, `${url}/lookup/headers/${encodeURIComponent('https://example.com/a?b')}`), {
    status: 200,
    text: /https:\/\/example\.com\/a\?b/,
  });
  t.equal((await visit('GET', {}, `${url}/lookup/nothing/example.com`)).status, 404);
  const reputation = `${url}/lookup/reputation/1.1.1.1`;
  t.match(await visit('GET', {}, reputation), { status: 200, text: /Reputation · 1\.1\.1\.1[\s\S]*Ask now/ });
  t.match(await visit('POST', {}, reputation), { status: 503, text: /No answer/ }, 'there is no list');
});
