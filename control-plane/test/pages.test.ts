import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from '../src/modules/probes/target-budget.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { type StackSettings, startStack } from './_support/stack.js';
import { until } from './_support/until.js';

const evil = '<script>alert(1)</script>"\'&\u202e';

async function site(t: Test, settings: StackSettings = {}) {
  const stack = await startStack(t, settings);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(path, stack.api.url), { headers });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  return { ...stack, get };
}

/** Approximate text of a page as a person reads it: without markup. */
function textOf(page: { html: string }): string {
  const body = page.html.slice(page.html.indexOf('<main>'), page.html.indexOf('</main>'));
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

t.test(
  'the first page says what the service is, how many nodes are online, and shows a request that works',
  async (t) => {
    const { api, get } = await site(t);
    const empty = await get('/');
    t.match([empty.status, empty.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    t.match(
      textOf(empty),
      /Network diagnostics.*http, ping, dns, tcp, traceroute, mtr.*Nodes online 0 .*Version 0\.1\.0.*Your first probe/,
    );
    for (const place of [{ country: 'DE', asn: 3320 }, { country: 'DE', asn: 3209 }, { country: 'FR' }]) {
      await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: place }));
    }
    await until('the nodes', async () => /Nodes online 3 in 2 countries, 2 networks/.test(textOf(await get('/'))));
    const page = await get('/');
    for (const [, href = ''] of page.html.matchAll(/href="([^"]*)"/g)) t.equal((await get(href)).status, 200, href);
    const [, url = '', body = ''] = /curl -s (\S+) .*?-d '(.*?)'<\/pre>/s.exec(page.html) ?? [];
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    t.equal(answer.status, 202, 'the curl command of the page, as printed');
  },
);

t.test('a probe has a page to share, which grows while it runs and runs no script when it is finished', async (t) => {
  const { api, get } = await site(t);
  const peers = [];
  for (const declared of [{ country: 'DE', city: 'Berlin', asn: 3320 }, { city: evil }]) {
    peers.push(
      await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared }), { isAnswering: false, isBeating: true }),
    );
  }
  const [good, bad] = peers as [PeerAgent, PeerAgent];
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as: null })).body;
  await until('both jobs', () => good.jobs.length + bad.jobs.length === 2);
  const running = await get(`/p/${data.task_id}`);
  t.match(
    textOf(running),
    /^TCP · 127\.0\.0\.1:80 running, 0 results so far · started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
  );
  const [, script = ''] = /<script>(.*?)<\/script>/.exec(running.html) ?? [];
  t.match(script, /location\.reload/);
  const policy = running.headers.get('content-security-policy') ?? '';
  t.ok(
    policy.includes(`'sha256-${createHash('sha256').update(script).digest('base64')}'`),
    'the only script it may run',
  );

  const answerOf = (peer: PeerAgent, fields: object) => {
    const success = successOf(peer.jobs[0]?.taskId ?? '', 'tcp');
    const result = { ...JSON.parse(Buffer.from(success.resultJson ?? []).toString()), ...fields };
    peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
  };
  answerOf(good, { connect_ms: 12.345, resolved_ip: '127.0.0.1', port: 80, banner: evil });
  await until('the first result', async () => /1 results so far/.test(textOf(await get(`/p/${data.task_id}`))));
  answerOf(bad, { success: false, error: { code: 'tcp_refused', message: evil } });
  await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=20`);

  const page = await get(`/p/${data.task_id}`);
  const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;·';
  t.match(textOf(page), /1 of 2 nodes succeeded/);
  t.ok(textOf(page).includes(`Berlin, DE, AS3320 ok 12.3 ms - 127.0.0.1 80 ${shown}`), textOf(page));
  t.ok(textOf(page).includes(`${shown} tcp_refused ${shown}`), textOf(page));
  t.notMatch(page.html, /<script/);
  t.notMatch(page.html, '\u202e', 'no text changes its direction');
  t.notMatch(page.headers.get('content-security-policy'), /script-src/);
  const [, json = ''] = /href="(\/v1\/probe\/tasks\/[^"]*)"/.exec(page.html) ?? [];
  t.equal((await get(json)).status, 200, 'the link to the JSON');
  t.match(textOf(await get(`/p/${data.task_ids[0]}`)), /of 1 nodes succeeded/, 'a node task has one, too');
});

t.test('details of a result appear on its page as text, under the place they were measured from', async (t) => {
  const { api, get } = await site(t);
  const identity = await enrollPeer(api, { declared: { country: 'DE', city: 'Berlin', asn: 3320 } });
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const { data } = (await api.call('POST', '/v1/probe/traceroute', { body: { target: '127.0.0.1' }, as: null })).body;
  await until('the job', () => peer.jobs.length === 1);
  const [job] = peer.jobs;
  const success = successOf(job?.taskId ?? '', 'traceroute', '{"params":{"protocol":"icmp"}}');
  const replies = [{ flow: 1, icmp_code: null, ip: '127.0.0.1', hostname: evil, rtt_ms: 1.5, icmp_type: 'echo_reply' }];
  const result = { ...JSON.parse(Buffer.from(success.resultJson ?? []).toString()), hops: [{ ttl: 1, replies }] };
  Object.assign(result, { disturbed: true, loop_lag_ms: 142 });
  peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
  await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=20`);
  const page = await get(`/p/${data.task_id}`);
  const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;·';
  t.ok(page.html.includes(`<h2>Berlin, DE, AS3320</h2><pre tabindex="0"> 1  ${shown} (127.0.0.1)  1.500 ms</pre>`));
  t.ok(page.html.includes('late while measuring: Berlin, DE, AS3320 (142 ms)'), 'and whether it can be trusted');
});

t.test('the target that a caller names is text on the page and in its title', async (t) => {
  const { api, get } = await site(t);
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const target = 'http://127.0.0.1/?q=<script>alert(1)</script>&"\u202e';
  const created = await api.call('POST', '/v1/probe/http', { body: { target }, as: null });
  t.equal(created.status, 202);
  const page = await get(`/p/${created.body.data.task_id}`);
  const shown = 'http://127.0.0.1/?q=&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;·';
  t.ok(page.html.includes(`<h1>HTTP · ${shown}</h1>`));
  t.ok(page.html.includes(`<title>HTTP ${shown} · Vantage</title>`));
});

t.test('an unknown probe, one of an account, and an invalid id have the same page: not found', async (t) => {
  const { api, get } = await site(t);
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' } })).body;
  const credentials = { authorization: `Bearer ${api.token}` };
  for (const [path, headers] of [
    [`/p/${data.task_id}`, {}],
    [`/p/${data.task_ids[0]}`, {}],
    [`/p/${data.task_id}`, credentials],
    ['/p/pt_1111111111111111111111', {}],
    ['/p/nonsense', {}],
    ['/p/%3Cscript%3E', {}],
  ] as const) {
    const page = await get(path, headers);
    t.equal(page.status, 404, path);
    t.match(page.headers.get('content-type'), 'text/html');
    t.match(
      textOf(page),
      /^No such probe Results are kept for 7 days\. Results of accounts are not shared on this page\.$/,
    );
  }
});

t.test('a reader who finds our address in a log learns about the service, its limits and its contact', async (t) => {
  const { get } = await site(t, { VANTAGE_ABUSE_CONTACT: 'abuse+probes@operator.example' });
  const page = await get('/abuse');
  t.match([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  const text = textOf(page);
  t.match(text, /User-Agent of every HTTP request ends in vantage-agent/);
  t.match(text, `gets ${TARGET_BURST} probes at once and ${TARGET_RATE_PER_SECOND} a second after that`);
  t.match(text, 'a TLS audit as 4, a download as one for each 1.6 MB');
  t.match(text, `No more than ${TARGET_MAX_AT_ONCE} agents work on it at the same time`);
  t.match(text, /ports 33434 to 33690 only/);
  t.match(text, /How to opt out .*deny list .*Write to abuse\+probes@operator\.example\.$/);
  t.ok((await get('/')).html.includes('href="/abuse"'), 'the first page links to it');
});

t.test('a contact that is a web address is a link, and a missing contact is shown as missing', async (t) => {
  const linked = await site(t, { VANTAGE_ABUSE_CONTACT: 'https://operator.example/report?a=1&b="2"' });
  const { html } = await linked.get('/abuse');
  const address = 'https://operator.example/report?a=1&amp;b=%222%22';
  t.ok(html.includes(`<p class="text">Write to <a href="${address}">${address}</a>.</p>`), html);

  const nameless = await site(t, { VANTAGE_PUBLIC_URL: 'https://vantage.operator.example' });
  const page = await nameless.get('/abuse');
  t.match(
    textOf(page),
    /The operator has not named an address to write to\. This service runs at https:\/\/vantage\.op/,
  );
  t.match(page.html, 'href="https://vantage.operator.example"');
  t.notMatch(textOf(page), /Write to/);
});
