import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Envelopes } from '../src/bus/envelopes.js';
import { MessageServerError } from '../src/bus/errors.js';
import { busSecretKey } from './_support/bus-driver.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { openNatsBus, subjectPrefix } from './_support/nats-bus-driver.js';
import { NatsServer } from './_support/nats-server.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { within } from './_support/within.js';

const skip = missing('nats-server');

t.test('two installations on one message server do not receive each other’s messages', { skip }, async (t) => {
  const server = await NatsServer.start(t);
  const url = `nats://${server.address}`;
  const ours = openNatsBus(t, url, { replicaId: 'rep_a' });
  const theirs = openNatsBus(t, url, { replicaId: 'rep_b', key: Buffer.alloc(32, 2) });
  const alsoTheirs = openNatsBus(t, url, { replicaId: 'rep_c', key: Buffer.alloc(32, 2) });
  const alsoOurs = openNatsBus(t, url, { replicaId: 'rep_b' });
  const heard: string[] = [];
  theirs.onMessage(({ ids }) => void heard.push(...ids.map((id) => `theirs ${id}`)));
  alsoOurs.onMessage(({ ids }) => void heard.push(...ids.map((id) => `ours ${id}`)));
  await Promise.all([ours, theirs, alsoTheirs, alsoOurs].map((bus) => bus.start()));
  ours.broadcast({ type: 'nodes', ids: ['n_1'] });
  ours.send('rep_b', { type: 'jobs', ids: ['pt_1'] });
  await until('both messages', () => heard.length >= 2);
  // all other messages come before this one
  theirs.send('rep_b', { type: 'jobs', ids: ['pt_end'] });
  alsoTheirs.broadcast({ type: 'nodes', ids: ['n_end'] });
  await until('the last one', () => heard.includes('theirs n_end'));
  t.strictSame(new Set(heard), new Set(['ours n_1', 'ours pt_1', 'theirs n_end']));
});

t.test(
  'a user with password, or a token, is accepted; wrong ones are refused with a message that does not contain them',
  { skip },
  async (t) => {
    const withUser = await NatsServer.start(t, ['--user', 'vantage', '--pass', 's3cr€t@#'], {
      user: 'vantage',
      pass: 's3cr€t@#',
    });
    const withToken = await NatsServer.start(t, ['--auth', 't0ken'], { token: 't0ken' });
    await openNatsBus(t, `nats://vantage:s3cr%E2%82%ACt%40%23@${withUser.address}`).start();
    await openNatsBus(t, `nats://t0ken@${withToken.address}`).start();
    for (const url of [
      `nats://vantage:wr0ng@${withUser.address}`,
      `nats://wr0ng@${withToken.address}`,
      `nats://${withUser.address}`,
    ]) {
      const error: Error = await openNatsBus(t, url)
        .start()
        .then(
          () => new Error('it started'),
          (reason) => reason,
        );
      t.type(error, MessageServerError);
      t.match(
        error.message,
        /^the message server at 127\.0\.0\.1:\d+ refuses these credentials; check VANTAGE_BUS_URL$/,
      );
    }
  },
);

t.test('no log line contains a credential, whatever happens to the server', { skip }, async (t) => {
  const server = await NatsServer.start(t, ['--user', 'vantage', '--pass', 's3cret'], {
    user: 'vantage',
    pass: 's3cret',
  });
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const bus = openNatsBus(t, `nats://vantage:s3cret@${server.address}`, { log });
  let resyncs = 0;
  bus.onResync(() => {
    resyncs += 1;
  });
  await bus.start();
  await server.stop();
  await server.start();
  await until('the connection to be back', () => resyncs === 1);
  await bus.stop();
  t.match(lines.join(''), /bus connection lost[^]*bus connection restored/);
  t.notMatch(lines.join(''), /s3cret/);
});

t.test(
  'a user without permission to subscribe is refused at startup, with the permission to grant',
  { skip },
  async (t) => {
    const file = path.join(temporaryDirectory(t), 'nats.conf');
    writeFileSync(
      file,
      'authorization { users = [{user: u, password: p, permissions: {publish: ">", subscribe: "else.>"}}] }\n',
    );
    const server = await NatsServer.start(t, ['--config', file], { user: 'u', pass: 'p' });
    await t.rejects(openNatsBus(t, `nats://u:p@${server.address}`).start(), {
      name: 'MessageServerError',
      message: /does not permit this user: subscri.* "vantage\.[0-9a-f]{16}\..*"; permit "vantage\.>"$/,
    });
  },
);

t.test('tls:// refuses a server without TLS', { skip }, async (t) => {
  const server = await NatsServer.start(t);
  await t.rejects(openNatsBus(t, `tls://${server.address}`).start(), {
    name: 'MessageServerError',
    message: /does not support 'tls'/,
  });
});

t.test('a server with an untrusted certificate is refused, whether or not TLS was requested', { skip }, async (t) => {
  const [cert, key] = ['localhost.crt.pem', 'localhost.key.pem'].map((file) =>
    fileURLToPath(new URL(`../../test/testdata/${file}`, import.meta.url)),
  );
  const server = await NatsServer.start(t, ['--tls', '--tlscert', cert as string, '--tlskey', key as string]);
  for (const scheme of ['tls', 'nats']) {
    const bus = openNatsBus(t, `${scheme}://user:password@${server.address}`);
    const refusal = await bus.start().catch((error: unknown) => error);
    t.match(refusal, { name: 'MessageServerError', message: /certificate/ }, scheme);
    t.notMatch(String(refusal), 'password');
  }
});

t.test('of several servers one is enough, at startup and when it fails', { skip }, async (t) => {
  const [first, second] = [await NatsServer.start(t), await NatsServer.start(t)];
  const url = `nats://127.0.0.1:1,nats://${first.address},nats://${second.address}`;
  const bus = openNatsBus(t, url);
  await bus.start();
  const heard: string[] = [];
  bus.onMessage(({ ids }) => void heard.push(...ids));
  await first.stop();
  const subject = `${subjectPrefix()}.rep_a`;
  const other = new Envelopes({ replicaId: 'rep_b', secretKey: busSecretKey, clock: systemClock });
  const say = () => second.publish(subject, other.seal(subject, { type: 'jobs', ids: ['pt_1'] }));
  await until('a message from the other server', async () => {
    await say();
    return heard.length > 0;
  });
  t.pass();
});

t.test('a server that has stopped reading does not keep a replica from stopping', { skip }, async (t) => {
  const server = await NatsServer.start(t);
  const bus = openNatsBus(t, `nats://${server.address}`);
  await bus.start();
  server.freeze();
  bus.broadcast({ type: 'nodes', ids: ['n_1'] });
  await bus.stop();
  t.pass();
});

t.test('messages fit into the default limit of a NATS server, and an oversized one is ignored', { skip }, async (t) => {
  const server = await NatsServer.start(t);
  const bus = openNatsBus(t, `nats://${server.address}`);
  const heard: string[][] = [];
  bus.onMessage(({ ids }) => void heard.push([...ids]));
  await bus.start();
  const huge = {
    from: 'rep_b',
    message: { type: 'jobs', ids: Array.from({ length: 10_000 }, (_, id) => `pt_${id}`) },
  };
  await server.publish(`${subjectPrefix()}.all`, JSON.stringify(huge));
  await server.publish(`${subjectPrefix()}.all`, Buffer.from([0xff, 0xfe, 0x00, 0x7b]));
  const other = new Envelopes({ replicaId: 'rep_b', secretKey: busSecretKey, clock: systemClock });
  const subject = `${subjectPrefix()}.all`;
  await server.publish(subject, other.seal(subject, { type: 'jobs', ids: ['pt_1'] }));
  await until('the good one', () => heard.length > 0);
  t.strictSame(heard, [['pt_1']]);
});

t.test('with NATS a waiting caller gets a result that another replica stored, without polling', { skip }, async (t) => {
  const server = await NatsServer.start(t);
  const settings = { VANTAGE_BUS_URL: `nats://${server.address}` };
  // the clock of the first replica stands still: only the message of the other one ends the wait
  const stack = await startStack(t, settings, new FakeClock(Date.now()));
  await lastingLeases(stack.database.db);
  const other = await startReplica(t, stack.database.url, { ...settings, VANTAGE_PUBLIC_URL: stack.api.url });
  await PeerAgent.connect(t, other.listenUrl, await enrollPeer(stack.api));
  await until('the first replica to see the node online', async () => {
    const { body } = await stack.api.call('GET', '/v1/nodes?status=online');
    return body.data.items.length === 1;
  });
  const { body } = await stack.api.call('POST', '/v1/probe/dns', { body: { target: 'www.example.com' } });
  const waiting = stack.api.call('GET', `/v1/probe/tasks/${body.data.task_id}?wait=20`);
  t.equal((await within('the result', waiting, 60_000)).body.data.status, 'completed');
});
