import { createHash } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import { definitionOf, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { unescapeHtml } from '../src/http/pages/html.js';
import { paramLabel } from '../src/modules/pages/home/param-labels.js';
import { columnTitle } from '../src/modules/pages/task/column-titles.js';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from '../src/modules/probes/target-budget.js';
import { type PageCase, pageCases, startPageWorld } from './_support/page-world.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { type StackSettings, startStack } from './_support/stack.js';

const evil = '<script>alert(1)</script>"\'&\u202e';

async function site(settings: StackSettings = {}) {
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

const plans = { anonymous: { requests_per_minute: 100, node_tests_per_day: 1 } };
const releases = { VANTAGE_RELEASE_URL: 'https://releases.example/1' };
const plain = await site();
/** A site with an installer, a mail address for complaints, and limits. */
const complete = await site({
  ...releases,
  VANTAGE_ABUSE_CONTACT: 'abuse+probes@operator.example',
  VANTAGE_PLANS: JSON.stringify(plans),
});
/** Sites that browsers reach at another URL than the tests. */
const insecure = await site({
  ...releases,
  VANTAGE_PUBLIC_URL: 'http://vantage.example',
  VANTAGE_ABUSE_CONTACT: 'https://operator.example/report?a=1&b="2"',
});
const nameless = await site({ VANTAGE_PUBLIC_URL: 'https://vantage.operator.example' });

/** The plain site, once the nodes of earlier tests are offline. */
async function withoutNodes() {
  const online = async () => (await plain.api.call('GET', '/v1/nodes?status=online')).body.data.items;
  await until('earlier nodes to be offline', async () => (await online()).length === 0);
  return plain;
}

t.test(
  'the first page says what the service is and where its nodes are, and all its links and commands work',
  async (t) => {
    const { api, get } = plain;
    const empty = await get('/');
    t.match([empty.status, empty.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    t.match(textOf(empty), 'No node is online at the moment');
    await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: { country: 'FR' } }));
    await until('the node', async () => /1 node online in 1 country · /.test(textOf(await get('/'))));
    t.match(textOf(await get('/?lang=zh-CN')), '1 个节点在线，分布在 1 个国家或地区 ·', 'no network is known');
    for (const asn of [3320, 3209]) {
      await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: { country: 'DE', asn } }));
    }
    await until('the nodes', async () => /3 nodes online in 2 countries and 2 networks/.test(textOf(await get('/'))));
    const page = await get('/');
    t.match(textOf(page), /Germany 2 France 1/);
    t.match(page.html, /<circle class="online" [^>]*><title>Germany: 2\/2<\/title>/, 'the map');
    t.match(page.html, '<option value="DE">Germany (2)</option>');
    for (const [, href = ''] of page.html.matchAll(/href="([^"]*)"/g)) {
      if (!href.startsWith('data:')) t.equal((await get(href)).status, 200, href);
    }
    const [, url = '', body = ''] = /curl -s (\S+) .*?-d '(.*?)'<\/pre>/s.exec(page.html) ?? [];
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    t.equal(answer.status, 202, 'the curl command of the page, as printed');
  },
);

t.test('the first page shows how to join: with the installer where there is one', async (t) => {
  t.match(textOf(await plain.get('/')), `vantage-agent enroll --url ${plain.api.url}`);
  t.match(textOf(await complete.get('/')), `curl -fsSL ${complete.api.url}/install.sh | sudo sh`);
});

t.test('the first page of a plain http URL shows no command for root, and how to get one', async (t) => {
  const page = textOf(await insecure.get('/'));
  t.notMatch(page, /install\.sh|vantage-agent enroll/);
  t.match(page, 'Its operator sets VANTAGE_PUBLIC_URL to an https URL.');
});

t.test('the form of the first page runs a probe without scripts, and shows what it refuses in the form', async (t) => {
  const { api } = await withoutNodes();
  for (const country of ['DE', 'FR'])
    await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: { country } }));
  const post = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(fields);
    const response = await fetch(api.url, { method: 'POST', body, headers, redirect: 'manual' });
    return { status: response.status, location: response.headers.get('location'), html: await response.text() };
  };
  const sent = await post({ type: 'http', target: ' 127.0.0.1/a ', from: 'DE', limit: '5' });
  t.equal(sent.status, 303);
  const id = sent.location?.replace('/p/', '');
  const { body } = await api.call('GET', `/v1/probe/tasks/${id}?wait=20`, { as: null });
  t.match(body.data, { target: 'https://127.0.0.1/a', node_results: [{ node: { country: 'DE' } }] });

  const dns = await post({
    type: 'dns',
    target: 'a.example',
    'dns.record_type': 'MX',
    'dns.server': '',
    'ping.count': '7',
  });
  t.match(textOf(await plain.get(dns.location ?? '')), 'record_type: MX');
  const report = await post({ type: 'report', target: 'example.com', limit: '1' });
  t.equal(report.status, 303);
  t.match(textOf(await plain.get(report.location ?? '')), 'Diagnosis of example.com');
  const lookup = await post({ type: 'lookup/headers', target: ' https://example.com/a?b ' });
  t.match(lookup, { status: 307, location: '/lookup/headers/https%3A%2F%2Fexample.com%2Fa%3Fb' });

  for (const [fields, status, shown] of [
    [{ type: 'tcp', target: evil }, 400, 'value="&lt;script&gt;'],
    [{ type: 'nonsense', target: 'x' }, 400, 'no such type'],
    [{ type: 'lookup/nonsense', target: 'x' }, 400, 'no such type'],
    [{ type: 'lookup/dns', target: ' ' }, 400, 'is required'],
    [{ type: 'report', target: '10.0.0.1' }, 422, '10.0.0.1'],
    [{ type: 'ping', target: 'a.example', 'ping.count': '51' }, 400, '<b lang="en">Count</b>: must be'],
    [{ type: 'ping', target: 'a.example', 'ping.count': 'many' }, 400, 'name="ping.count" value="many"'],
    [{ type: 'ping', target: '10.0.0.1', params: '{' }, 400, 'must be JSON'],
    [{ type: 'ping', target: 'a.example', from: 'JP' }, 422, 'no online node matches'],
    [{ type: 'ping', target: 'a\0b' }, 400, 'is not a text'],
    [{ type: 'ping', target: 'a.example', limit: '51' }, 400, 'must be'],
    [{ type: 'ping', target: 'a.example', filler: 'x'.repeat(8_192) }, 400, 'must be at most 8192 bytes'],
    [{}, 400, 'role="alert"'],
  ] as const) {
    const refused = await post(fields as Record<string, string>);
    t.equal(refused.status, status, shown);
    t.match(refused.html, shown);
    t.match(refused.html, '<form method="post" action="/" class="probe">');
    t.notMatch(refused.html, '<script>alert');
  }
  const inChinese = await post({ type: 'ping', target: '10.0.0.1', params: '{' }, { 'accept-language': 'zh-CN' });
  t.match(inChinese.html, '<b>没有开始</b></p>\n<p lang="zh-CN">必须是 JSON</p>', 'the first line is the first detail');
  t.equal((await post({ type: 'ping', target: 'a.example' }, { 'sec-fetch-site': 'cross-site' })).status, 403);
});

t.test('the nodes have a page with country, city, network and state, for browsers', async (t) => {
  const { api, get } = complete;
  const declared = { country: 'DE', city: 'Berlin', asn: 3320 };
  await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'spree', declared }));
  await enrollPeer(api, { name: 'seine', declared: { country: 'FR', city: evil } });
  await until('the nodes', async () => /1 node online/.test(textOf(await get('/nodes'))));
  const page = await get('/nodes');
  t.match(textOf(page), /Germany Berlin AS3320 spree online France &lt;script&gt;\S* - seine offline/);
  t.match(textOf(await get('/nodes?lang=zh-TW')), '德國 Berlin AS3320 spree 在線');
  t.match(textOf(await get('/nodes?lang=zh-CN')), '法国');
});

t.test('a form counts against the limits of callers without an account, as the operation does', async (t) => {
  const { api } = complete;
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const body = new URLSearchParams({ type: 'tcp', target: '127.0.0.1:80' });
  const post = () => fetch(api.url, { method: 'POST', body, redirect: 'manual' });
  const first = await post();
  t.strictSame([first.status, first.headers.get('x-ratelimit-limit')], [303, '100']);
  const second = await post();
  t.equal(second.status, 429);
  t.match(await second.text(), '<div class="refusal" role="alert">');
  const { status } = await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as: null });
  t.equal(status, 429, 'the quota is the same');
});

t.test('a probe has a page to share, which names the nodes that are asked and follows their results', async (t) => {
  const { api, get } = await withoutNodes();
  const peers = [];
  for (const declared of [{ country: 'DE', city: 'Berlin', asn: 3320 }, { city: evil }]) {
    peers.push(await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared }), { isAnswering: false }));
  }
  const [good, bad] = peers as [PeerAgent, PeerAgent];
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as: null })).body;
  await until('both jobs', () => good.jobs.length + bad.jobs.length === 2);
  const running = await get(`/p/${data.task_id}`);
  t.match(
    textOf(running),
    /^TCP · 127\.0\.0\.1:80 running: 0 of 2 nodes have replied started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
  );
  t.match(textOf(running), 'Berlin, DE, AS3320 waiting');
  t.match(running.html, `data-events="/v1/probe/tasks/${data.task_id}/events"`);
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(running.html) ?? [];
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
  await until('the first result', async () => /1 of 2 nodes have/.test(textOf(await get(`/p/${data.task_id}`))));
  answerOf(bad, { success: false, error: { code: 'tcp_refused', message: evil } });
  await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=20`);

  const page = await get(`/p/${data.task_id}`);
  const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;·';
  t.match(textOf(page), /1 × (?:ok|tcp_refused), 1 × (?:ok|tcp_refused)/);
  t.match(textOf(page), `Berlin, DE, AS3320 ok TCP 12.3 ms 12.3 ms - 127.0.0.1 80 ${shown}`);
  t.match(textOf(page), `${shown} tcp_refused - ${shown}`);
  t.notMatch(page.html, 'data-events="', 'a finished one listens to nothing');
  t.notMatch(page.html, '\u202e', 'no text changes its direction');
  const [, json = ''] = /href="(\/v1\/probe\/tasks\/[^"]*)"/.exec(page.html) ?? [];
  t.equal((await get(json)).status, 200, 'the link to the JSON');
  t.match(textOf(await get(`/p/${data.task_ids[0]}`)), /80 (?:ok|tcp_refused) started/, 'a node task has one, too');
});

t.test('a page for a link has a title, a description and a picture of the results', async (t) => {
  const { api, get } = await withoutNodes();
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as: null })).body;
  await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=20`);
  const page = await get(`/p/${data.task_id}`);
  t.match(page.html, '<title>TCP 127.0.0.1:80 · Vantage</title>');
  t.match(page.html, /<meta property="og:description" content="ok, \d{4}-/);
  const [, image = ''] = /property="og:image" content="([^"]*)"/.exec(page.html) ?? [];
  const answer = await fetch(image);
  t.equal(answer.headers.get('content-type'), 'image/png');
  t.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
  t.equal((await fetch(image.replace(data.task_id, 'pt_1111111111111111111111'))).status, 404);
});

t.test(
  'what a probe measured is judged: status 500 and a grade of T are bad, and equal details stand once',
  async (t) => {
    const world = await startPageWorld(t, (await withoutNodes()).api);
    const read = async (path: string) => textOf({ html: await (await fetch(world.api.url + path)).text() });
    const show = async ({ type, target, results, params }: PageCase) =>
      read(await world.pageOf(type, target, results, params));
    const { http, tls, ping, failed } = pageCases as Record<string, PageCase>;
    const shown = await show(http as PageCase);
    t.match(shown, '2 × ok, 1 × HTTP 500');
    t.match(shown, 'São Paulo, BR, AS28573 HTTP 500');
    t.match(
      shown,
      /ms \d.* DNS TCP TLS First byte Download .*Phases/,
      'the colours of the bars are explained below them',
    );
    t.equal(shown.split('TLSv1.3').length, 2);
    t.match(shown, 'The same from all 3 nodes TLSv1.3');
    t.match(shown, 'timeout_ms: 5000 (not shown: headers)');
    t.notMatch(shown, 'hidden value', 'headers may be secrets of who sent them');
    t.match(await show(tls as PageCase), 'all 3 nodes: grade T');
    t.match(await show(ping as PageCase), /25 % loss.*no_reply.*Tokyo, JP, AS2497\./);
    t.match(
      await read(`${await world.pageOf('ping', ping?.target ?? '', ping?.results ?? [])}?lang=zh-CN`),
      '没有应答',
    );
    t.match(
      await show(failed as PageCase),
      /First byte never ended.*&gt; 985 ms/,
      'the phase that never ended, to the deadline',
    );
  },
);

t.test('every column, phase and field of the form has a title in each language', async (t) => {
  for (const type of probeTypeNames) {
    for (const { title } of definitionOf(type).columns) t.ok(columnTitle(title, 'zh-CN'), `${type}: ${title}`);
    for (const name of definitionOf(type).formParams) t.ok(paramLabel(name, 'zh-CN'), `${type}: ${name}`);
  }
});

t.test('the request of a page runs again from it, on the same nodes, and not from another site', async (t) => {
  const { api, get } = await withoutNodes();
  for (const asn of [3320, 3209]) await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: { asn } }));
  const body = { target: '127.0.0.1:80', params: { count: 2 }, nodes: { asns: [3320] } };
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body, as: null })).body;
  await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=20`);
  const page = await get(`/p/${data.task_id}?lang=zh-TW`);
  const fields = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(
    fields.map(([, name = '', value = '']): [string, string] => [name, unescapeHtml(value)]),
  );
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.html) ?? [];
  const post = (headers: Record<string, string>) =>
    fetch(new URL(action, api.url), { method: 'POST', body: form, headers, redirect: 'manual' });
  const answer = await post({ 'sec-fetch-site': 'same-origin' });
  t.equal(answer.status, 303);
  t.match(answer.headers.get('location'), /^\/p\/pt_\w{22}\?lang=zh-TW$/);
  const again = await get(answer.headers.get('location') ?? '');
  t.match(textOf(again), 'AS3320');
  t.match(textOf(again), 'count: 2');
  t.notMatch(textOf(again), 'AS3209');
  t.equal((await post({ 'sec-fetch-site': 'cross-site' })).status, 403);
});

t.test('details of a result appear on its page as text, under the place they were measured from', async (t) => {
  const { api, get } = await withoutNodes();
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
  const pre = `<pre lang="en" tabindex="0"> 1  ${shown} (127.0.0.1)  1.500 ms</pre>`;
  t.ok(page.html.includes(`<h2>Berlin, DE, AS3320</h2>${pre}`));
  t.match(textOf(page), 'These nodes were busy', 'and whether it can be trusted');
});

t.test('the target that a caller names is text on the page and in its title', async (t) => {
  const { api, get } = await withoutNodes();
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
  const { api, get } = await withoutNodes();
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
      /^No such probe Results are kept for 7 days\. Results of an account are shown here only while it shares them\.$/,
    );
  }
});

t.test('a reader who finds our address in a log learns about the service, its limits and its contact', async (t) => {
  const { get } = complete;
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
  const { html } = await insecure.get('/abuse');
  const address = 'https://operator.example/report?a=1&amp;b=%222%22';
  t.ok(html.includes(`<p class="text">Write to <a href="${address}">${address}</a>.</p>`), html);

  const page = await nameless.get('/abuse');
  t.match(
    textOf(page),
    /The operator has not named an address to write to \(VANTAGE_ABUSE_CONTACT is not set\)\. This service runs at https:\/\/vantage\.op/,
  );
  t.match(page.html, 'href="https://vantage.operator.example"');
  t.notMatch(textOf(page), /Write to/);
});
