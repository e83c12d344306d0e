import t from 'tap';
import { ListServer } from './_support/list-server.js';
import { startReputation, writeLists } from './_support/reputation-world.js';
import { startReplica } from './_support/stack.js';

/** Lines with this many addresses, the first of which is 8.8.8.8. */
const addresses = (count: number) =>
  ['8.8.8.8', ...Array.from({ length: count - 1 }, (_, n) => `9.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`)].join(
    '\n',
  );

const server = await ListServer.start(t);
server.serve('/vpn.txt', addresses(100));
const vpn = { name: 'vpn', signal: 'vpn', format: 'addresses', url: `${server.url}/vpn.txt`, refresh_s: 300 };
const world = await startReputation(t, [vpn], { replicas: 2 });
const [api] = world.apis;
const acceptances = async () =>
  (await api.call('GET', '/v1/admin/audit?action=reputation_list.accepted')).body.data.items;
await world.untilScored('9.0.0.90', 60);

/** Lets the source have a hundred entries again, and every replica use them. */
async function restore(): Promise<void> {
  server.serve('/vpn.txt', addresses(100));
  await world.refresh('vpn');
  await world.untilScored('9.0.0.90', 60);
}

const refused: Readonly<Record<string, { readonly refusal: string; readonly content: string | Buffer }>> = {
  'half of the entries less one': { refusal: 'shrunk', content: addresses(49) },
  'another charset': { refusal: 'unreadable', content: Buffer.from(addresses(100), 'utf16le') },
  'a page of HTML': { refusal: 'unreadable', content: '<!doctype html>\n<title>Sign in</title>\n<p>8.8.8.8\n' },
  nothing: { refusal: 'shrunk', content: '# maintenance\n' },
};

for (const [what, { refusal, content }] of Object.entries(refused)) {
  t.test(`a version with ${what} is refused on every replica until an administrator accepts it`, async (t) => {
    await restore();
    const before = (await acceptances()).length;
    const accept = (name = 'vpn') => api.call('POST', `/v1/admin/lists/${name}/accept`);
    t.match(await accept(), { status: 409, body: { error: { code: 'CONFLICT', details: { name: [{}] } } } });
    server.serve('/vpn.txt', content);
    await world.refresh('vpn');
    await world.refresh('vpn');
    t.match(await world.listed('vpn'), {
      version: { entries: 100, refusal: null },
      refused_version: { refusal },
      last_error: null,
    });
    t.same(await world.scores('9.0.0.90'), [60, 60], 'the previous version stays in use');
    t.match(await accept('other'), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
    t.match(await accept(), {
      status: 200,
      body: { data: { name: 'vpn', refused_version: null, version: { refusal: null } } },
    });
    await world.untilScored('9.0.0.90', 0);
    t.match(await accept(), { status: 409 });
    const accepted = await acceptances();
    t.match(accepted[0], { subject: 'vpn', action: 'reputation_list.accepted' });
    t.equal(accepted.length, before + 1);
  });
}

t.test('a refused version that its source takes back is forgotten', async (t) => {
  await restore();
  server.serve('/vpn.txt', addresses(3));
  await world.refresh('vpn');
  t.match(await world.listed('vpn'), { refused_version: { refusal: 'shrunk', entries: 3 } });
  server.serve('/vpn.txt', addresses(100));
  await world.refresh('vpn');
  t.match(await world.listed('vpn'), { version: { entries: 100 }, refused_version: null });
});

t.test('a replica that starts later has the stored version without a download, and the refusal too', async (t) => {
  await restore();
  server.serve('/vpn.txt', addresses(3));
  await world.refresh('vpn');
  const requests = server.requests.length;
  const settings = { VANTAGE_REPUTATION_LISTS: writeLists(t, [vpn]) };
  const later = await startReplica(t, world.database.url, settings, world.clocks[0]);
  t.match(await later.services.lookups.lists.list(), [
    { version: { entries: 100 }, refused_version: { refusal: 'shrunk' } },
  ]);
  const checking = { account: null, address: '21.0.0.1', locale: 'en', signal: new AbortController().signal } as const;
  t.match(await later.services.lookups.reputation.check('9.0.0.90', checking), { score: 60 });
  t.equal(server.requests.length, requests);
});
