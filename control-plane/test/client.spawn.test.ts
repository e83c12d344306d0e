import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import net from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t, { type Test } from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { runCommand } from './_support/command-line.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { makeSiteCertificates } from './_support/site-certificates.js';
import { startStack } from './_support/stack.js';

const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e';
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

/** A client of an API in a process of its own, started with words of its command line. */
function realClientOf(t: Test, url: string) {
  return (...args: string[]) => runCommand(t, 'vantage', args, { env: { VANTAGE_URL: url } });
}

/** A client of an API, started with words of its command line. */
function clientOf(url: string, env: Record<string, string> = {}) {
  return (...args: string[]) => runInProcess('vantage', args, { env: { VANTAGE_URL: url, ...env } });
}

const stack = await startStack(t);
const { api } = stack;

/** Waits until the agents of earlier tests are gone: the control plane chooses among those that are online. */
function nobodyIsOnline(): Promise<void> {
  return until('no node to be online', async () => {
    const { body } = await api.call('GET', '/v1/nodes?status=online');
    return body.data.items.length === 0;
  });
}

async function berlin(t: Test) {
  await nobodyIsOnline();
  const identity = await enrollPeer(api, {
    name: `berlin${evil}`,
    declared: { country: 'DE', city: 'Berlin', asn: 3320 },
  });
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  /** Answers the next job with these fields of its result. */
  const answer = async (fields: object = {}, from = peer) => {
    const before = from.jobs.length;
    await until('the job', () => from.jobs.length > before);
    const job = from.frames.flatMap((frame) => frame.job ?? []).at(-1);
    if (!job) throw new Error('no job');
    const success = successOf(job.taskId, job.probeType, job.specJson);
    const result = { ...JSON.parse(Buffer.from(success.resultJson ?? []).toString()), ...fields };
    from.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
  };
  return { identity, peer, answer };
}

t.test('each type has its table, below it the page to share, and nothing else is printed', async (t) => {
  await PeerAgent.connect(
    t,
    api.url,
    await enrollPeer(api, { declared: { country: 'DE', city: 'Berlin', asn: 3320 } }),
  );
  const vantage = clientOf(api.url);
  const check = async (type: ProbeType) => {
    const { code, stdout, stderr } = await vantage(type, definitionOf(type).exampleTarget);
    t.strictSame([code, stderr], [0, ''], type);
    const [head = '', row = '', ...rest] = stdout.trimEnd().split('\n');
    t.strictSame(
      head.split(/ {2,}/),
      ['From', 'Result', ...definitionOf(type).columns.map(({ title }) => title)],
      type,
    );
    t.match(row, /^Berlin, DE, AS3320 +(?:ok|not reached) +/, type);
    t.match(rest, [/^page: http:\/\/127\.0\.0\.1:\d+\/p\/pt_\w+$/], type);
    t.equal(rest.length, 1, type);
  };
  await Promise.all(probeTypeNames.map(check));
});

t.test('--json prints the task as in the API; places, limit, parameters and token are passed on', async (t) => {
  const { identity, answer } = await berlin(t);
  const vantage = clientOf(api.url, { VANTAGE_TOKEN: api.token });
  const args = ['tcp', '127.0.0.1:80', '--from', 'DE,AS3320,Berlin', '--limit', '5', '--count', '2', '--json'];
  const [{ code, stdout, stderr }] = await Promise.all([vantage(...args), answer()]);
  t.strictSame([code, stderr], [0, '']);
  const task = JSON.parse(stdout);
  t.strictSame(task, (await api.call('GET', `/v1/probe/tasks/${task.task_id}`)).body.data);
  t.match(task, { status: 'completed', node_results: [{ node_id: identity.nodeId }] });
  const [row] = await stack.database.db('probe_tasks').where({ id: task.task_id }).select('owner_id', 'spec');
  t.match(row, { owner_id: api.userId, spec: { params: { count: 2 } } });
  const elsewhere = await vantage('tcp', '127.0.0.1:80', '--from', 'FR', '--json');
  t.match(elsewhere, {
    code: 2,
    stdout: '',
    stderr: /^vantage: --from: no node in FR; `\S*vantage nodes` lists them \(VALIDATION_FAILED\)\n$/,
  });
});

t.test('exit codes distinguish a failed node, a refused request and an unreachable API', async (t) => {
  const { answer } = await berlin(t);
  const vantage = clientOf(api.url);
  const [failed] = await Promise.all([
    realClientOf(t, api.url)('tcp', '127.0.0.1:80'),
    answer({ success: false, error: { code: 'tcp_refused', message: 'connection refused' } }),
  ]);
  t.match(failed, {
    code: 1,
    stdout: /^From .*\nBerlin, DE, AS3320 +tcp_refused\n {2}tcp_refused: connection refused\npage: .*\n$/,
    stderr: '',
  });
  const page = createHttpServer((_request, response) => response.end('<html>'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => page.close(resolve)));
  const { port } = page.address() as net.AddressInfo;
  const [refused, usage, gone, other] = await Promise.all([
    vantage('tcp', '10.0.0.1:80'),
    vantage('tcp', '127.0.0.1:80', '--limit', '51'),
    vantage('tcp', '127.0.0.1:80', '--url', 'http://127.0.0.1:1'),
    vantage('nodes', '--url', `http://127.0.0.1:${port}`),
  ]);
  t.match(refused, {
    code: 2,
    stdout: '',
    stderr: /^vantage: target: .*10\.0\.0\.1.* \(PROBE_TARGET_INVALID\)\n$/,
  });
  t.match(usage, { code: 2, stdout: '', stderr: /must be 1 to 50/ });
  t.match(gone, {
    code: 3,
    stdout: '',
    stderr: /^vantage: no response from http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/,
  });
  t.match(other, { code: 3, stdout: '', stderr: /is not a Vantage API/ });
});

t.test(
  'a host without a scheme is asked by https, then by http if no node could speak TLS to it, and the change is said',
  async (t) => {
    const { answer, peer } = await berlin(t);
    const vantage = clientOf(api.url, { VANTAGE_TOKEN: api.token });
    const refusal = { success: false, error: { code: 'tcp_refused', message: 'connection refused' } };
    const [{ code, stdout, stderr }] = await Promise.all([
      vantage('http', '127.0.0.1:8080'),
      answer(refusal).then(() => answer()),
    ]);
    const targets = peer.frames.flatMap(({ job }) =>
      job ? [JSON.parse(Buffer.from(job.specJson ?? []).toString()).target] : [],
    );
    t.strictSame(targets, ['https://127.0.0.1:8080', 'http://127.0.0.1:8080']);
    const note = 'https://127.0.0.1:8080 failed (tcp_refused), trying http\n';
    t.strictSame([code, stderr], [0, note]);
    t.match(stdout, /\nagain: \S*vantage task pt_\w+\n$/);
  },
);

t.test(
  'a node that was selected and cannot run the probe is named below the results, with what it lacks',
  async (t) => {
    await nobodyIsOnline();
    await PeerAgent.connect(t, api.url, await enrollPeer(api));
    const plain = await enrollPeer(api, { name: 'plain-1', capabilities: [] });
    await PeerAgent.connect(t, api.url, plain, { capabilities: [] });
    await until('both nodes to be online', async () => {
      const { body } = await api.call('GET', '/v1/nodes?status=online');
      return body.data.items.length === 2;
    });
    const { code, stdout } = await clientOf(api.url)('ping', '127.0.0.1');
    t.equal(code, 0);
    t.match(stdout, `\n  1 of 2 nodes; plain-1 cannot run ping: no ICMP\npage: `);
    const [, id = ''] = /\/p\/(pt_\w+)/.exec(stdout) ?? [];
    const again = await clientOf(api.url)('task', id);
    t.match(again.stdout, `\n  1 of 2 nodes; plain-1 cannot run ping: no ICMP\n`, 'the stored task says it, too');
    const named = await clientOf(api.url)('tcp', '127.0.0.1:80');
    t.notMatch(named.stdout, 'cannot run', 'both can');
  },
);

t.test('a status of 400 or more fails, unless any status will do', async (t) => {
  const { answer } = await berlin(t);
  const vantage = clientOf(api.url);
  const run = async (...args: string[]) => {
    const [result] = await Promise.all([vantage('http', 'http://127.0.0.1/', ...args), answer({ status_code: 500 })]);
    return result;
  };
  t.match(await run(), { code: 1, stdout: /\nBerlin, DE, AS3320 +HTTP 500 +500 / });
  t.match(await run('--any-status'), { code: 0, stdout: /HTTP 500/ });
});

t.test(
  'an address with the scheme of the other protocol, or a certificate that is not trusted, is refused with what to do',
  async (t) => {
    const { key, cert } = makeSiteCertificates(t.testdir()).good;
    const secure = createHttpsServer({ key, cert }, (_request, response) => response.end());
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    t.teardown(() => new Promise((resolve) => secure.close(resolve)));
    const { port } = secure.address() as net.AddressInfo;
    const plain = new URL(api.url).host;
    for (const [url, advice] of [
      [`http://127.0.0.1:${port}`, `this port speaks TLS: use https://127.0.0.1:${port}`],
      [`https://${plain}`, `this port does not speak TLS: use http://${plain}`],
      [
        `https://127.0.0.1:${port}`,
        /^vantage: the certificate of https:.* is not trusted \(.*\): .*NODE_EXTRA_CA_CERTS\n$/,
      ],
    ] as const)
      t.match(await clientOf(url)('nodes'), {
        code: 3,
        stdout: '',
        stderr: typeof advice === 'string' ? `vantage: ${advice}\n` : advice,
      });
  },
);

t.test('no text of a node, a server or a target controls the terminal', async (t) => {
  const { answer } = await berlin(t);
  const vantage = clientOf(api.url);
  const record = { name: evil, type: 'TXT', class: 'IN', ttl: 1, value: evil };
  const runs: readonly (readonly [string[], object])[] = [
    [['dns', 'example.com', '--record-type', 'TXT'], { rcode: 'NOERROR', records: [record] }],
    [['tcp', '127.0.0.1:80', '--json'], { banner: evil }],
  ];
  for (const [args, fields] of runs) {
    const [{ stdout, stderr }] = await Promise.all([vantage(...args), answer(fields)]);
    t.match(stdout, /owned/, args.join(' '));
    t.notMatch(stdout + stderr, steering, args.join(' '));
  }
  const [table, json, refused] = await Promise.all([
    vantage('nodes'),
    vantage('nodes', '--json'),
    vantage('tcp', `${evil}:80`),
  ]);
  t.match(table.stdout, /berlin·\[2J/);
  t.ok(JSON.parse(json.stdout).some(({ name }: { name: string }) => name === `berlin${evil}`));
  for (const { stdout, stderr } of [table, json, refused]) t.notMatch(stdout + stderr, steering);
  t.equal(refused.code, 2);
});

t.test('nodes lists all nodes, over any number of pages', async (t) => {
  const { identity } = await berlin(t);
  const before = (await api.call('GET', '/v1/nodes')).body.meta.pagination.total;
  await stack.database.db.raw(
    `INSERT INTO nodes (id, owner_id, name, visibility, public_key, hostname, agent_version, os, arch)
     SELECT 'n_1' || lpad(translate(i::text, '0', 'a'), 21, 'z'), owner_id, 'n' || i, 'public', decode(lpad(i::text, 64, '0'), 'hex'), '', '', '', ''
     FROM nodes, generate_series(1, 404) AS i WHERE id = ?`,
    [identity.nodeId],
  );
  await until(
    'the nodes to be known',
    async () => (await api.call('GET', '/v1/nodes')).body.meta.pagination.total === before + 404,
  );
  const { stdout } = await clientOf(api.url)('nodes', '--json');
  t.equal(new Set(JSON.parse(stdout).map(({ id }: { id: string }) => id)).size, before + 404);
});

/**
 * Proxy between client and server; `cut` breaks every connection when the server has sent `at`, `refuse` all later
 * ones.
 */
async function proxy(t: Test, url: string, options: { cutAt: string; isRefusingThen: boolean }) {
  const clients = new Set<net.Socket>();
  let isCut = false;
  let callsAfterCut = 0;
  const server = net.createServer((client) => {
    if (isCut) callsAfterCut += 1;
    if (isCut && options.isRefusingThen) return client.destroy();
    const upstream = net.connect(Number(new URL(url).port), '127.0.0.1');
    clients.add(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.pipe(upstream);
    upstream.on('data', (data) => {
      client.write(data);
      if (isCut || !data.includes(options.cutAt)) return;
      isCut = true;
      for (const socket of clients) socket.end(() => socket.destroy());
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as net.AddressInfo;
  return { url: `http://127.0.0.1:${port}`, callsAfterCut: () => callsAfterCut };
}

t.test(
  'a broken stream is not the end: the client waits for the task, or names it if its server is gone',
  async (t) => {
    const { answer } = await berlin(t);
    const paris = await PeerAgent.connect(t, api.url, await enrollPeer(api, { declared: { country: 'FR' } }), {
      isAnswering: false,
    });
    const flaky = await proxy(t, api.url, { cutAt: 'event: probe.result', isRefusingThen: false });
    const running = realClientOf(t, flaky.url)('tcp', '127.0.0.1:80', '--json');
    await answer();
    await until('the client to ask again', () => flaky.callsAfterCut() > 0 && paris.jobs.length > 0);
    paris.sendResults([successOf(paris.jobs[0]?.taskId ?? '', 'tcp')]);
    const { code, stdout } = await running;
    t.equal(code, 0);
    t.equal(JSON.parse(stdout).node_results.length, 2);

    const dying = await proxy(t, api.url, { cutAt: 'event: probe.result', isRefusingThen: true });
    const [gone] = await Promise.all([realClientOf(t, dying.url)('tcp', '127.0.0.1:80', '--limit', '2'), answer()]);
    t.match(gone, { code: 3, stdout: '', stderr: /^vantage: no response from .*; the probe continues as pt_\w+\n$/ });
  },
);
