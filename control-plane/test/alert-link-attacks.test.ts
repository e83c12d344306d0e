import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { readMail, startSmtpServer, type TestSmtpServer } from './_support/smtp-server.js';
import { apiOf, createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';

// An attacker with an account and two replicas tries the codes and links that are mailed to others.

const friend = 'friend@other.example';

interface Scene {
  readonly smtp: TestSmtpServer;
  /** The same account at each of two replicas. */
  readonly replicas: readonly [TestApi, TestApi];
}

async function setUp(t: Test): Promise<Scene> {
  const smtp = await startSmtpServer(t);
  const settings = { VANTAGE_SMTP_URL: `smtp://${smtp.host}` };
  const { controlPlane, database, api } = await startStack(t, settings);
  const other = await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: api.url });
  const mallory = await createUserApi(controlPlane, 'mallory@test.example', 'user');
  return { smtp, replicas: [mallory, apiOf(other.listenUrl, mallory.token, mallory.userId)] };
}

async function addChannel({ replicas: [api] }: Scene): Promise<string> {
  const config = { to: [friend, 'mallory@test.example'] };
  return (await api.call('POST', '/v1/alert-channels', { body: { name: 'Mail', type: 'email', config } })).body.data.id;
}

/** Text of the first mail to an address. */
async function mailTo({ smtp }: Scene, address: string): Promise<string> {
  await until(`a mail to ${address}`, () => smtp.mails.some(({ to }) => to.includes(address)));
  const mail = smtp.mails.find(({ to }) => to.includes(address));
  return mail === undefined ? '' : ((await readMail(mail)).text ?? '');
}

/** Requests of one account that are under way at each replica: of more, some would wait for their turn until they are refused. */
const AT_ONCE = 2;

/** Acts so many times, over both replicas at once. */
async function both<T>(
  { replicas }: Scene,
  count: number,
  act: (api: TestApi, index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) {
    const from = results.length;
    const round = Array.from({ length: Math.min(count - from, 2 * AT_ONCE) }, (_, index) =>
      act(replicas[index % 2] as TestApi, from + index),
    );
    results.push(...(await Promise.all(round)));
  }
  return results;
}

t.test('forty guesses at a code over two replicas at once are five, and the code is worth nothing then', async (t) => {
  const scene = await setUp(t);
  const id = await addChannel(scene);
  const code = /\b\d{8}\b/.exec(await mailTo(scene, friend))?.[0] ?? '';
  const link = /\/alert-channels\/verify\/[\w-]+/.exec(await mailTo(scene, friend))?.[0] ?? '';
  const guess = async (api: TestApi, given: string) => {
    const body = { to: friend, code: given };
    const { body: reply } = await api.call('POST', `/v1/alert-channels/${id}/verify`, { body });
    return reply.error?.details.code[0].message as string | undefined;
  };
  const wrong = (index: number) => String((Number(code) + 1 + index) % 100_000_000).padStart(8, '0');
  const replies = await both(scene, 40, (api, index) => guess(api, wrong(index)));
  t.equal(replies.filter((reply) => reply === 'is not the code that was sent').length, 5);
  t.equal(replies.filter((reply) => reply?.startsWith('is no longer accepted')).length, 35);
  for (const api of scene.replicas) {
    t.match(await guess(api, code), /^is no longer accepted/);
    t.equal((await fetch(new URL(link, api.url), { method: 'POST' })).status, 404, 'nor is its link');
  }
  const asked = await both(scene, 20, (api) =>
    api.call('POST', `/v1/alert-channels/${id}/verify`, { body: { to: friend } }),
  );
  t.equal(asked.filter(({ status }) => status === 200).length, 2, 'three codes an hour, with the first one');
});

t.test('a link of a message gives no other right than its own, on any replica', async (t) => {
  const scene = await setUp(t);
  const id = await addChannel(scene);
  const [api] = scene.replicas;
  const verify = /\/verify\/([\w-]+)/.exec(await mailTo(scene, friend))?.[1] ?? '';
  await api.call('POST', `/v1/alert-channels/${id}/test`, { body: {} });
  await mailTo(scene, 'mallory@test.example');
  const sent = scene.smtp.mails.find(({ to }) => to.includes('mallory@test.example'));
  const unsubscribe = /\/unsubscribe\/([\w-]+)/.exec(String(sent?.source).replace(/=?\r?\n[ \t]?/g, ''))?.[1] ?? '';
  const tokens = { verify, unsubscribe };
  for (const { url } of scene.replicas)
    for (const [own, token] of Object.entries(tokens)) {
      t.equal((await fetch(new URL(`/alert-channels/${own}/${token}`, url))).status, 200, `${own}: its own page`);
      const pages = ['/alert-channels/verify/', '/alert-channels/unsubscribe/', '/alert-channels/stop/', '/a/'];
      const others = pages.filter((at) => !at.includes(own));
      for (const at of others)
        for (const method of ['GET', 'POST'])
          t.equal((await fetch(new URL(`${at}${token}`, url), { method })).status, 404, `${own}: ${method} ${at}`);
      for (const at of ['/v1/auth/verify-email', '/v1/auth/password/reset', '/v1/auth/login/confirm']) {
        const body = at.endsWith('reset') ? { token, password: 'correct horse battery staple' } : { token };
        t.match(await api.call('POST', at, { body, as: null }), { status: 400 }, `${own}: ${at}`);
      }
      for (let at = 0; at < token.length - 1; at += 20) {
        const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
        t.equal(
          (await fetch(new URL(`/alert-channels/${own}/${changed}`, url))).status,
          404,
          `${own}: character ${at}`,
        );
      }
    }
  const { recipients } = (await api.call('GET', `/v1/alert-channels/${id}`)).body.data;
  t.match(
    recipients,
    [{ to: friend, verified: false, unsubscribed: false }, { unsubscribed: false }],
    'a visit changes nothing',
  );
});

t.test('caps of channels, endpoints and groups hold for requests over two replicas at once', async (t) => {
  const scene = await setUp(t);
  const [api] = scene.replicas;
  const url = 'https://hooks.example/';
  const cases: readonly (readonly [string, number, (index: number) => object])[] = [
    ['/v1/webhooks', 20, () => ({ url, events: ['*'] })],
    ['/v1/alert-channels', 50, (index) => ({ name: `Hook ${index}`, type: 'webhook', config: { url } })],
    ['/v1/alert-groups', 50, (index) => ({ name: `Group ${index}`, group_by: 'tag', group_value: `t${index}` })],
  ];
  for (const [path, cap, body] of cases) {
    const replies = await both(scene, cap + 4, (each, index) => each.call('POST', path, { body: body(index) }));
    const { items } = (await api.call('GET', `${path}?page_size=200`)).body.data;
    t.equal(items.length, cap, path);
    t.same(new Set(replies.map(({ status }) => status)), new Set([201, 422]), `${path}: the others are refused`);
  }
});
