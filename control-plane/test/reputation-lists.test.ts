import t from 'tap';
import { ListServer } from './_support/list-server.js';
import { startReputation } from './_support/reputation-world.js';

/** Lines with this many addresses, the first of which is 8.8.8.8. */
const addresses = (count: number) =>
  ['8.8.8.8', ...Array.from({ length: count - 1 }, (_, n) => `9.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`)].join(
    '\n',
  );

const server = await ListServer.start(t);
server.serve('/vpn.txt', addresses(10));
const vpn = {
  name: 'vpn',
  signal: 'vpn',
  format: 'addresses',
  url: `${server.url}/vpn.txt`,
  refresh_s: 300,
  license: 'CC0-1.0',
};
const world = await startReputation(t, [vpn], {
  replicas: 2,
  settings: { VANTAGE_ALLOW_TARGETS: '127.0.0.1/32' },
});
await world.untilScored('8.8.8.8', 60);

t.test('one replica downloads a list, all have the same version, and it is asked for again by its marks', async (t) => {
  t.equal(server.count('/vpn.txt'), 1, 'one replica');
  const first = await world.listed('vpn');
  t.match(first, {
    source: `${server.url}/vpn.txt`,
    license: 'CC0-1.0',
    is_current: true,
    version: { entries: 10, lines: 10, unreadable_lines: 0, refused_lines: 0, refusal: null },
    refused_version: null,
    last_error: null,
  });
  await world.refresh('vpn');
  t.match(server.requests.at(-1)?.headers, {
    'if-none-match': /^"/,
    'if-modified-since': server.modified,
  });
  const second = await world.listed('vpn');
  t.equal(second.version.fetched_at, first.version.fetched_at, 'the same version');
  t.ok(second.version.built_at > first.version.built_at, 'that its source still has');
  server.serve('/vpn.txt', `${addresses(10)}\n1.1.1.1`);
  await world.refresh('vpn');
  await world.untilScored('1.1.1.1', 60);
  t.equal((await world.database.db('reputation_list_versions')).length, 1, 'the previous version is deleted');
});

t.test('the same content under another mark is no new version', async (t) => {
  let requests = 0;
  server.reply('/vpn.txt', (_request, response) => {
    requests += 1;
    response.writeHead(200, { etag: `"${requests}"` }).end(addresses(10));
  });
  await world.refresh('vpn');
  const [{ id }] = await world.database.db('reputation_list_versions').select('id');
  await world.refresh('vpn');
  t.equal(requests, 2);
  t.same(await world.database.db('reputation_list_versions').pluck('id'), [id]);
});

/** Downloads that bring no version, with the error that an administrator sees. */
const failures: Readonly<Record<string, { readonly says: RegExp; serve(): void }>> = {
  'a truncated body': {
    says: /no whole response/,
    serve: () =>
      server.reply('/vpn.txt', (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('1.1.1.1\n', () => response.destroy());
      }),
  },
  'an endless body': {
    says: /more than 67108864 bytes/,
    serve: () =>
      server.reply('/vpn.txt', (_request, response) => {
        response.writeHead(200);
        const piece = Buffer.alloc(1 << 20, '1.1.1.1\n');
        const more = () => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      }),
  },
  'status 429': {
    says: /status 429/,
    serve: () =>
      server.reply('/vpn.txt', (_request, response) => response.writeHead(429, { 'retry-after': '7200' }).end()),
  },
  'status 404': {
    says: /status 404/,
    serve: () => server.reply('/vpn.txt', (_request, response) => response.writeHead(404).end()),
  },
  'a redirect without an address': {
    says: /status 302/,
    serve: () => server.reply('/vpn.txt', (_request, response) => response.writeHead(302).end()),
  },
  'redirects without end': {
    says: /more than 3 redirects/,
    serve: () =>
      server.reply('/vpn.txt', (_request, response) => response.writeHead(302, { location: '/vpn.txt' }).end()),
  },
};

for (const [index, [what, { says, serve }]] of Object.entries(failures).entries()) {
  t.test(`${what} changes nothing, and the error is shown`, async (t) => {
    const entries = 10 + index;
    serve();
    await world.refresh('vpn');
    const list = await world.listed('vpn');
    t.match(list, { version: { entries }, refused_version: null, last_error: says, is_current: true });
    t.same(await world.scores('8.8.8.8'), [60, 60]);
    if (what === 'status 429') {
      t.equal(Date.parse(list.next_check_at) - Date.parse(list.checked_at), 7_200_000, 'the delay of the server');
    }
    server.serve('/vpn.txt', addresses(entries + 1));
    await world.refresh('vpn');
    t.match(await world.listed('vpn'), { version: { entries: entries + 1 }, last_error: null });
  });
}

t.test('a redirect is followed to an allowed address, and nothing is sent to another one', async (t) => {
  const inside = await ListServer.start(t, '127.0.0.2');
  inside.serve('/list', addresses(20));
  server.serve('/moved.txt', addresses(10));
  server.reply('/vpn.txt', (_request, response) => response.writeHead(301, { location: '/moved.txt' }).end());
  await world.refresh('vpn');
  t.match(await world.listed('vpn'), { version: { entries: 10 }, last_error: null });
  for (const location of [
    `${inside.url}/list`,
    'https://10.0.0.1/list',
    'https://169.254.169.254/',
    'file:///etc/passwd',
  ]) {
    server.reply('/vpn.txt', (_request, response) => response.writeHead(302, { location }).end());
    await world.refresh('vpn');
    t.match(await world.listed('vpn'), { version: { entries: 10 }, last_error: /not allowed|https|scheme/ }, location);
  }
  t.same(inside.requests, []);
});
