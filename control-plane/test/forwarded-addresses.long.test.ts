import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { type BalancerName, lastingPorts, startBalancer } from './_support/balancer.js';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { parseAnswer } from './_support/raw-http.js';
import { createAdmin, startReplica, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// What a caller may claim about its address, through trusted proxies and around them.

/** The caller's own address; the proxies and the control plane are at 127.0.0.1, the only trusted address. */
const CALLER = '127.0.0.9';
const FORGED = '198.51.100.66';
const PUBLIC_URL = 'https://vantage.example';

interface Proxy {
  readonly name: string;
  readonly port: number;
}

/** As in the guide, and as most others are configured: they append the caller to what it sent itself. */
const append: Readonly<Record<BalancerName, (example: string) => string>> = {
  nginx: (example) => example.replaceAll('X-Forwarded-For $remote_addr', 'X-Forwarded-For $proxy_add_x_forwarded_for'),
  haproxy: (example) => example.replace('http-request set-header X-Forwarded-For %[src]', 'option forwardfor'),
};

async function start(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const { url, db } = await createTestDatabase(t);
  const mailDir = temporaryDirectory(t);
  const [at = 0, ...ports] = await lastingPorts(6);
  const own = {
    VANTAGE_LISTEN: `127.0.0.1:${at}`,
    VANTAGE_PUBLIC_URL: PUBLIC_URL,
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
    VANTAGE_MAIL_DIR: mailDir,
  };
  // it stands still: the window in which a limit counts may end at any moment
  const replica = await startReplica(t, url, { ...own, ...settings }, new FakeClock(Date.now()));
  const upstreams = [at, at, at];
  const proxies: Proxy[] = [];
  const add = async (name: BalancerName, how: 'sets' | 'appends', to: readonly number[]) => {
    const port = ports[proxies.length] ?? 0;
    await startBalancer(t, name, to, port, how === 'appends' ? append[name] : undefined);
    proxies.push({ name: `${name} ${how}`, port });
  };
  for (const name of ['nginx', 'haproxy'] as const) {
    await add(name, 'sets', upstreams);
    await add(name, 'appends', upstreams);
  }
  const last = proxies[3]?.port ?? 0;
  await add('nginx', 'appends', [last, last, last]);
  await until('haproxy to know its replicas', async () => {
    const answers = await Promise.all(proxies.map(({ port }) => fetch(`http://127.0.0.1:${port}/healthz`)));
    return answers.every(({ status }) => status === 200);
  });
  return { db, replica, at, mailDir, proxies, api: await createAdmin(replica) };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A request from the caller's address; `headers` are sent unchanged, name after value, repeated ones too. */
function ask(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = [],
    body = '',
    from = CALLER,
  }: {
    method?: string;
    headers?: readonly string[];
    body?: string;
    from?: string;
  } = {},
): Promise<Reply> {
  const hasHost = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const own = [...(hasHost ? [] : ['Host', 'vantage.example']), 'Content-Length', String(Buffer.byteLength(body))];
  const type = body === '' ? [] : ['Content-Type', 'application/json'];
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      localAddress: from,
      agent: false,
      headers: [...own, ...type, ...headers],
    });
    request.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

const xff = (...values: readonly string[]) => values.flatMap((value) => ['X-Forwarded-For', value]);

/** Headers by which a caller claims to be another caller, or none. */
const lies: readonly (readonly string[])[] = [
  [],
  ...[
    FORGED,
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    '192.168.0.1, 10.0.0.1',
    `${FORGED}, 127.0.0.1`,
    '127.0.0.1, 127.0.0.1, 127.0.0.1',
    `${FORGED}:443`,
    `[::1]:80`,
    '[2001:db8::1]',
    'fe80::1%lo',
    'unknown',
    '_hidden',
    `"${FORGED}"`,
    `for=${FORGED}`,
    ', , ,',
    ' ',
    '0',
    '0x7f.1',
    '2130706433',
    '127.1',
    '127.0.0.1\t',
    '\u00e9\u00e8',
    "' OR 1=1 --",
    'localhost',
    `${FORGED};127.0.0.1`,
    `${FORGED} 127.0.0.1`,
    Array.from({ length: 400 }, (_, index) => `10.0.${index >> 8}.${index & 255}`).join(', '),
    '127.0.0.1,'.repeat(500),
    'x'.repeat(5_000),
  ].map((value) => xff(value)),
  xff(FORGED, FORGED),
  xff('127.0.0.1', FORGED),
  xff(FORGED, '127.0.0.1', ''),
  ['x-forwarded-for', FORGED, 'X-FORWARDED-FOR', '127.0.0.1'],
  ['X_Forwarded_For', FORGED],
  // a proxy that takes these names for those of its own connection would forget the caller
  [...xff(FORGED), 'Connection', 'close, X-Forwarded-For'],
  ['Connection', 'X-Forwarded-For, Host, Authorization'],
  ['Keep-Alive', 'X-Forwarded-For'],
  ['Forwarded', `for=${FORGED};host=evil.example;proto=https;by=127.0.0.1`],
  ...[
    'X-Real-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'Fastly-Client-IP',
    'X-Original-Forwarded-For',
    'X-ProxyUser-Ip',
    'X-Forwarded',
    'Forwarded-For',
    'Client-IP',
    'X-Remote-Addr',
    'X-Azure-ClientIP',
    'WL-Proxy-Client-IP',
    'Via',
  ].map((name) => [name, FORGED]),
];

/** Does something that is audited. @returns its subject, or why it was refused */
async function act(port: number, api: TestApi, headers: readonly string[], from = CALLER): Promise<string> {
  const authorization = ['Authorization', `Bearer ${api.token}`];
  const options = { method: 'POST', headers: [...authorization, ...headers], body: '{}', from };
  const { status, body } = await ask(port, '/v1/nodes/enrollment-tokens', options);
  return status === 201 ? JSON.parse(body).data.id : `${status} ${body.slice(0, 100)}`;
}

const skip = missing('nginx', 'haproxy');

t.test(
  'the client address comes from the connection or from trusted proxies, whatever the caller claims',
  { skip },
  async (t) => {
    const { db, at, proxies, api, replica, mailDir } = await start(t, {
      VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 5}}',
    });

    await t.test('the audit log contains the address of the caller', async (t) => {
      const acted: { readonly subject: string; readonly lie: string }[] = [];
      const refused: string[] = [];
      const places = [...proxies, { name: 'no proxy', port: at }];
      for (const { name, port } of places) {
        const send = async (headers: readonly string[]) => {
          const lie = `${name}: ${headers.join(' ').slice(0, 60)}`;
          const subject = await act(port, api, headers);
          if (subject.startsWith('4')) refused.push(lie);
          else acted.push({ subject, lie });
        };
        await Promise.all(lies.map(send));
      }
      t.comment(`${acted.length} requests, ${refused.length} refused`);
      t.ok(refused.length < 10, refused.join('\n'));
      const rows = await db('audit_log')
        .whereIn(
          'subject',
          acted.map(({ subject }) => subject),
        )
        .select('subject', 'address');
      const addresses = new Map(rows.map(({ subject, address }) => [subject, address]));
      const wrong = acted.filter(({ subject }) => addresses.get(subject) !== CALLER);
      t.same(
        wrong.map(({ lie, subject }) => `${lie} -> ${addresses.get(subject)}`),
        [],
      );
    });

    await t.test('a caller that changes its claimed address with each request has one limit', async (t) => {
      let asked = 0;
      for (const [index, { name, port }] of [...proxies, { name: 'no proxy', port: at }].entries()) {
        const from = `127.0.1.${index + 1}`;
        const statuses: number[] = [];
        for (let turn = 0; turn < 12; turn += 1) {
          const headers = [
            ...xff(`203.0.113.${turn}`),
            'X-Real-IP',
            `203.0.113.${turn}`,
            'Forwarded',
            `for=203.0.113.${turn}`,
          ];
          statuses.push((await ask(port, '/v1/nodes', { headers, from })).status);
          asked += 1;
        }
        t.same(statuses.filter((status) => status === 200).length, 5, name);
        const signIn = { method: 'POST', body: '{}', from };
        const guesses: number[] = [];
        for (let turn = 0; turn < 32; turn += 1) {
          guesses.push(
            (await ask(port, '/v1/auth/login', { ...signIn, headers: xff(`203.0.113.${turn}`, '127.0.0.1') })).status,
          );
          asked += 1;
        }
        t.same(guesses.filter((status) => status !== 429).length, 30, name);
      }
      t.comment(`${asked} requests`);
    });

    await t.test('a link has the address its agent connects from', async (t) => {
      for (const [index, { name, port }] of proxies.entries()) {
        const identity = await enrollPeer(api, { name, audience: PUBLIC_URL });
        const localAddress = `127.0.2.${index + 1}`;
        const url = `http://127.0.0.1:${port}`;
        const peer = await PeerAgent.connect(t, url, identity, { localAddress, forwardedFor: `${FORGED}, 127.0.0.1` });
        const { welcome } = await peer.waitFor('the welcome', (frame) => frame.welcome !== null);
        const own = welcome?.config?.ownAddresses ?? [];
        t.ok(own.includes(localAddress) && !own.includes(FORGED), name);
        peer.cut();
      }
    });

    await t.test('links and pages name the public URL, whatever host a caller claims', async (t) => {
      const { users } = replica.services.accounts;
      const evil = [
        'X-Forwarded-Host',
        'evil.example',
        'X-Forwarded-Proto',
        'ftp',
        'X-Forwarded-Server',
        'evil.example',
      ];
      const more = [
        'X-Original-URL',
        '/evil.example',
        'X-Rewrite-URL',
        '/evil.example',
        'X-Forwarded-Prefix',
        '/evil.example',
      ];
      const headers = [...evil, ...more, 'Forwarded', 'host=evil.example', 'X-HTTP-Method-Override', 'DELETE'];
      const paths = [
        '/',
        '/docs',
        '/v1/openapi.json',
        '/abuse',
        '/nothing',
        '/v1/nodes',
        '/errors/NOT_FOUND',
        '/reset-password',
      ];
      let asked = 0;
      for (const { name, port } of [...proxies, { name: 'no proxy', port: at }]) {
        for (const path of paths) {
          for (const host of ['vantage.example', 'evil.example', 'evil.example:1']) {
            const reply = await ask(port, path, {
              headers: ['Host', host, ...headers],
              from: `127.0.3.${asked % 250}`,
            });
            asked += 1;
            if (!`${JSON.stringify(reply.headers)}${reply.body}`.includes('evil.example')) continue;
            t.fail(`${name}: ${path} of ${host}`);
          }
        }
        const email = `owner-${asked}@test.example`;
        await users.createUser({ email, role: 'user', password: 'correct horse battery staple' });
        const body = JSON.stringify({ email });
        const from = `127.0.4.${asked % 250}`;
        const forgot = { method: 'POST', headers: ['Host', 'evil.example', ...headers], body, from };
        t.equal((await ask(port, '/v1/auth/password/forgot', forgot)).status, 200, name);
      }
      const mails = () => readdirSync(mailDir).filter((file) => file.endsWith('.eml'));
      await until('the mails', () => mails().length >= proxies.length + 1);
      for (const file of mails()) {
        const text = readFileSync(join(mailDir, file), 'utf8');
        t.notMatch(text, /evil/);
        t.match(text.replaceAll('=\r\n', '').replaceAll('=3D', '='), /https:\/\/vantage\.example\/reset-password/);
      }
      t.comment(`${asked} requests`);
    });

    await t.test('the PROXY protocol is not HTTP: it gives no caller another address', async (t) => {
      const binary = Buffer.from('0d0a0d0a000d0a515549540a2111000cc63364427f00000101bb01bb', 'hex');
      const heads = [Buffer.from(`PROXY TCP4 ${FORGED} 127.0.0.1 1 2\r\n`), Buffer.from('PROXY UNKNOWN\r\n'), binary];
      for (const port of [at, ...proxies.map((proxy) => proxy.port)]) {
        for (const head of heads) {
          const socket = connect({ port, host: '127.0.0.1', localAddress: CALLER }).on('error', () => {});
          t.teardown(() => socket.destroy());
          let received = '';
          socket.on('data', (chunk) => {
            received += chunk.toString('latin1');
          });
          socket.write(
            Buffer.concat([head, Buffer.from('GET /v1/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')]),
          );
          if (!socket.closed) await once(socket, 'close');
          t.match(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? '400', '400');
          t.notOk(parseAnswer(received)?.status === 200);
        }
      }
    });
  },
);
