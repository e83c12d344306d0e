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
  t.match(unknown.text, /This has not been asked lately[\s\S]*<form method="post"[^>]*>[\s\S]*Ask now/);
  t.notMatch(unknown.text, /<script/);
  t.equal((await visit('POST', { 'sec-fetch-site': 'cross-site' })).status, 403, 'not by a form of another site');
  t.equal(node.jobs.length, 0);
  const asked = visit('POST', { 'accept-language': 'zh-TW' });
  const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000).toISOString();
  await answerJob(node, 1, {
    grade: 'B',
    domain: 'example.com',
    subject: '<b>\u001b[2J',
    port: 443,
    not_after: inDays(41),
    timing: { dns_ms: 0, tcp_ms: 12, tls_ms: 1_200 },
    findings: [{ code: 'no_aead', cap: 'B', message: 'no authenticated encryption' }],
  });
  const answered = await asked;
  t.equal(answered.status, 200);
  t.match(answered.text, /lang="zh-TW"[\s\S]*剛剛查詢。/);
  const known = await visit('GET', {}, `${page}?lang=zh-CN`);
  t.match(
    known.text,
    /\d+秒钟前查询。[\s\S]*等级 B<[\s\S]*到期: 41天后[\s\S]*最佳协议版本未使用认证加密。<br>将 AES-GCM[\s\S]*TCP 12\.0 ms, TLS 1\.20 s[\s\S]*<summary>API 返回的结果/,
    'people read labels, times and remedies in their language, and the answer of the API is folded',
  );
  t.match(known.text, '重新查询');
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
  for (const [address, setting] of [
    [reputation, 'VANTAGE_REPUTATION_LISTS'],
    [`${url}/lookup/ip/1.1.1.1`, 'VANTAGE_GEOIP_DIR'],
  ] as const) {
    const missing = await visit('GET', {}, `${address}?lang=zh-CN`);
    t.match(
      missing,
      { status: 503, text: new RegExp(`尚未配置此功能[\\s\\S]*请设置 ${setting}`) },
      'waiting does not help',
    );
    t.notMatch(missing.text, '<button');
  }
});
