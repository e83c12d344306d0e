import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startSite } from './_support/counted-site.js';
import { hosts } from './_support/looking-agent.js';
import { RealAgent } from './_support/real-agent.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { createReport, endedReport } from './_support/report-world.js';
import { list } from './_support/reputation-checks.js';
import { writeLists } from './_support/reputation-world.js';
import { apiOf, startReplica, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { recordData, startZoneServer } from './_support/zone-server.js';

/** A registry by RDAP, and a source of ICP filings, until they are away. */
let areAway = false;
const sources = createServer((request, response) => {
  const document = {
    '/dns.json': { version: '1.0', services: [[['com', 'example'], [`http://127.0.0.1:${port}/rdap/`]]] },
    '/rdap/domain/shop.example': {
      objectClassName: 'domain',
      ldhName: 'SHOP.EXAMPLE',
      events: [{ eventAction: 'expiration', eventDate: '2099-01-31T00:00:00Z' }],
    },
    '/icp/shop.example': { icp_number: '京ICP备1号', company: 'Shop' },
  }[request.url ?? ''];
  response.writeHead(areAway ? 503 : document === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document ?? {}));
});
await new Promise<void>((resolve) => sources.listen(0, '127.0.0.1', resolve));
t.teardown(() => sources.close());
const { port } = sources.address() as AddressInfo;

const geo = temporaryDirectory(t);
copyFileSync(fileURLToPath(new URL('../../test/testdata/geo/city.mmdb', import.meta.url)), path.join(geo, 'city.mmdb'));
const { database, proxy, entry, one, other } = await startReplicaPair(t, {
  VANTAGE_ALLOW_TARGETS: `127.0.0.1/32,${hosts.public}/32`,
  VANTAGE_GEOIP_DIR: geo,
  VANTAGE_REPUTATION_LISTS: writeLists(t, [list(t, 'centers', 'hosting', ['81.2.69.0/24'], { startMs: Date.now() })]),
});
const zone = await startZoneServer(t, (name, type) => {
  const address = name === 'listed.example' ? '81.2.69.142' : hosts.public;
  return type === 'A' ? [{ name, type, ttl: 300, data: recordData.address(address) }] : [];
});
const environment = {
  VANTAGE_ALLOW_TARGETS: `127.0.0.1/32,${hosts.public}/32`,
  VANTAGE_DNS_SERVERS: zone,
  VANTAGE_RDAP_BOOTSTRAP: `http://127.0.0.1:${port}/dns.json`,
  VANTAGE_ICP_SOURCE: `http://127.0.0.1:${port}/icp/{domain}`,
};
const agents: RealAgent[] = [];
for (const [index, replica] of [one, other, one, other].entries()) {
  proxy.forwardTo(replica.url);
  const agent = await RealAgent.enroll(t, entry, { name: `agent-${index}` });
  await agent.run({ environment });
  for (const api of [one, other]) await agent.waitUntilOnline(api);
  agents.push(agent);
}
const secure = await startSite(t, (_request, response) => response.end('hello'), { host: hosts.public, isTls: true });

const ask = (api: TestApi, query: string) => api.call('GET', `/v1/info/${query}`, { as: null });
const lookups: Readonly<Record<string, object>> = {
  'whois?q=www.shop.example': { domain: 'shop.example', registered: true },
  [`ssl?q=shop.example&port=${secure.port}`]: { domain: 'shop.example', grade: 'T' },
  'dns?q=shop.example': { domain: 'shop.example', records: [{ type: 'A', value: hosts.public }] },
  'icp?q=shop.example': { domain: 'shop.example', company: 'Shop' },
  [`headers?q=https://shop.example:${secure.port}/`]: { domain: 'shop.example', hops: [{ status_code: 200 }] },
};

t.test('a question to one of two control planes is answered by one of four agents, and kept for both', async (t) => {
  let repeats = 0;
  for (const [query, data] of Object.entries(lookups)) {
    const before = repeats;
    let cold = await ask(one, query);
    // an agent that takes too long is an error of the moment; what comes too late for one question is kept for the next
    await until(`an answer to ${query}`, async () => {
      if (cold.status === 200) return true;
      repeats += 1;
      cold = await ask(one, query);
      return cold.status === 200;
    });
    t.match(cold, { body: { data, ...(repeats === before && { meta: { cache: { hit: false } } }) } }, `${query} cold`);
    for (const api of [other, one])
      t.match(await ask(api, query), { status: 200, body: { data, meta: { cache: { hit: true } } } }, `${query} warm`);
  }
  const tasks = await database.db('probe_tasks').where({ is_internal: true });
  const least = Object.keys(lookups).length + 1;
  t.ok(tasks.length >= least, 'headers have a second question, by plain http');
  t.ok(tasks.length <= least + 2 * repeats, `${tasks.length} tasks`);
  for (const api of [one, other]) {
    t.match(await ask(api, 'ip?q=81.2.69.142'), { status: 200, body: { data: { country: 'GB', city: 'London' } } });
    const check = () => api.call('GET', '/v1/ip/reputation?q=listed.example', { as: null });
    await until('the list', async () => (await check()).status === 200);
    t.match((await check()).body.data, { ip: '81.2.69.142', score: 25, evidence: [{ signal: 'hosting' }] });
  }
});

/** API of a third replica, whose memory is empty. */
async function restarted(): Promise<TestApi> {
  const replica = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: proxy.url });
  return apiOf(replica.listenUrl, one.token, one.userId);
}

t.test('an answer that is no longer fresh stands in while its source is away, and is marked as old', async (t) => {
  areAway = true;
  await database.db('lookup_answers').update({ fresh_until: new Date(Date.now() - 1_000) });
  // memory has the answers as they were
  const third = await restarted();
  for (const query of ['whois?q=www.shop.example', 'icp?q=shop.example']) {
    const answer = await ask(third, query);
    t.match(
      answer,
      { status: 200, body: { data: lookups[query], meta: { cache: { hit: true, stale: true } } } },
      query,
    );
    const [kind = ''] = query.split('?');
    const page = await (await fetch(new URL(`/lookup/${kind}/shop.example`, third.url))).text();
    t.match(page, /From memory, \d+ s old\. A newer answer cannot be had/, kind);
  }
});

t.test(
  'a report from three nodes of which one is killed is partial, and its page on the other replica says so',
  async (t) => {
    let killed: RealAgent | undefined;
    /** Kills one of the three nodes of a report while all of them wait for the site. */
    const attempt = async () => {
      await killed?.run({ environment });
      for (const api of [one, other]) await killed?.waitUntilOnline(api);
      let release = () => {};
      const isReleased = new Promise<void>((resolve) => {
        release = resolve;
      });
      const site = await startSite(
        t,
        (_request, response) => void isReleased.then(() => response.end('<title>Shop</title>')),
        {
          host: hosts.public,
        },
      );
      const target = `http://shop.example:${site.port}/`;
      const { id, nodes } = await createReport(one, { target, scope: ['http'], nodes: { limit: 3 }, shared: true });
      t.equal(nodes.length, 3);
      await until('three nodes to connect', () => site.connections === 3);
      killed = agents.find(({ nodeId }) => nodes.some(({ node_id }: { node_id: string }) => node_id === nodeId));
      await killed?.kill();
      release();
      return { id, report: await endedReport(other, id) };
    };
    const codesOf = ({ report }: Awaited<ReturnType<typeof attempt>>): (string | undefined)[] =>
      report.sections.http?.facts?.nodes
        .map(({ error }: { error: { code: string } | null }) => error?.code)
        .toSorted() ?? [];
    // the site waits until the agent is dead: where that takes long, a survivor runs out of time
    const made = await untilRight(attempt, (each) => !codesOf(each).includes('http_timeout'), 3);
    const { id, report } = made;
    t.match(report, { status: 'completed', sections: { http: { status: 'completed', score: 100 } } });
    t.strictSame(codesOf(made), ['node_lost', undefined, undefined]);
    const page = await (await fetch(new URL(`/d/${id}`, other.url))).text();
    t.match(page, /shop\.example[\s\S]*node_lost/);
  },
);
