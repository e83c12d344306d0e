import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { ConfigError } from '../src/config/config.js';
import { ListServer } from './_support/list-server.js';
import { startReputation, writeListFile, writeLists } from './_support/reputation-world.js';
import { startReplica } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

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
  max_age_s: 3_600,
};
const world = await startReputation(t, [vpn], { settings: { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' } });
await world.untilScored('8.8.8.8', 60);

t.test('files are read like downloads: lines, databases of ranges and lists of networks', async (t) => {
  const directory = temporaryDirectory(t);
  const file = (name: string, content: string | Buffer) => writeListFile(path.join(directory, name), content);
  const geo = (name: string) => fileURLToPath(new URL(`../../test/testdata/geo/${name}`, import.meta.url));
  const text = '\ufeff# exits\r\nExitAddress 8.8.8.8 2026-11-25 01:02:03\r\n';
  const mixed = '9.9.0.0/16\n9.9.9.0/24\n10.0.0.0/8\n0.0.0.0/1\n; note\n2a00:1::/32 # remark';
  const world = await startReputation(
    t,
    [
      { name: 'a-tor', signal: 'tor_exit', format: 'tor_exit', file: file('tor', text), refresh_s: 300 },
      { name: 'b-ranges', signal: 'hosting', format: 'cidrs', file: file('ranges', mixed), attribution: 'Ranges by B' },
      { name: 'c-mmdb', signal: 'proxy', format: 'mmdb', file: file('ranges.mmdb', readFileSync(geo('country.mmdb'))) },
      { name: 'd-asns', signal: 'abuse_asn', format: 'asns', file: file('asns', 'AS20712 # remark\n64512\n') },
      { name: 'e-broken', signal: 'vpn', format: 'mmdb', file: file('broken.mmdb', 'no database') },
      { name: 'f-missing', signal: 'vpn', format: 'cidrs', file: path.join(directory, 'missing') },
    ],
    { settings: { VANTAGE_GEOIP_DIR: directoryOf(t, geo('asn.mmdb')) } },
  );
  await world.untilLoaded(4);
  t.same(await world.scores('81.2.69.142'), [80]);
  t.same(await world.scores('8.8.8.8'), [85]);
  t.same(await world.scores('9.9.9.9'), [25]);
  t.same(await world.scores('2a00:1::9'), [25]);
  t.same(await world.scores('1.1.1.1'), [0], 'a range that is too wide');
  t.match(await world.listed('b-ranges'), { version: { lines: 5, refused_lines: 2, unreadable_lines: 0, entries: 2 } });
  t.match(await world.listed('d-asns'), { version: { lines: 2, refused_lines: 1, entries: 1 } });
  await until('every source to be read', async () => {
    const lists = await Promise.all(['e-broken', 'f-missing'].map((name) => world.listed(name)));
    return lists.every(({ last_error }) => last_error !== null);
  });
  t.match(await world.listed('e-broken'), {
    version: null,
    is_current: false,
    last_error: /is not a whole \.mmdb file/,
  });
  t.match(await world.listed('f-missing'), { version: null, last_error: 'cannot read the file (ENOENT)' });
  writeListFile(path.join(directory, 'tor'), '8.8.8.8\n8.8.4.4\n', 1);
  await world.refresh('a-tor');
  await world.untilScored('8.8.4.4', 85);
});

function directoryOf(t: Test, file: string): string {
  const directory = temporaryDirectory(t);
  copyFileSync(file, path.join(directory, path.basename(file)));
  return directory;
}

t.test('metrics show the age and the size of each list, refused versions, and the outcomes of readings', async (t) => {
  server.serve('/vpn.txt', '1.1.1.1');
  await world.refresh('vpn');
  let text = '';
  await until('the refused version in the metrics', async () => {
    text = await (await fetch(world.replicas[0]?.metricsUrl ?? '')).text();
    return /vantage_reputation_lists_refused 1/.test(text);
  });
  t.match(text, /vantage_reputation_list_entries\{list="vpn"\} 10\n/);
  t.match(text, /vantage_reputation_list_age_seconds\{list="vpn"\} [1-9]/);
  t.match(text, /vantage_reputation_list_refreshes_total\{outcome="new"\} 1\n/);
  t.match(text, /vantage_reputation_list_refreshes_total\{outcome="refused"\} 1\n/);
});

t.test('a list that is too old counts no more, and is current again once its source confirms it', async (t) => {
  const look = async () => (await world.apis[0].call('GET', '/v1/ip/reputation?q=8.8.8.8')).body.data;
  server.serve('/vpn.txt', addresses(10));
  await world.refresh('vpn');
  t.match(await look(), { score: 60, coverage: ['vpn'], sources: [{ name: 'vpn' }] });
  server.reply('/vpn.txt', (_request, response) => response.writeHead(503).end());
  // one step past the age: the source is read in between, without success
  for (let minutes = 0; minutes <= 61; minutes += 1) world.advance(60);
  t.match(await look(), { score: 0, coverage: [], sources: [], note: /vpn/ });
  t.equal((await world.listed('vpn')).is_current, false);
  server.serve('/vpn.txt', addresses(10));
  await world.refresh('vpn');
  t.equal((await world.listed('vpn')).is_current, true);
  await world.untilScored('8.8.8.8', 60);
});

t.test('a list with another source begins again', async (t) => {
  server.serve('/other.txt', '1.1.1.1\n');
  const moved = writeLists(t, [{ ...vpn, url: `${server.url}/other.txt` }]);
  const later = await startReplica(t, world.database.url, { VANTAGE_REPUTATION_LISTS: moved }, world.clocks[0]);
  await until('the other source to be read', async () => {
    const [list] = await later.services.lookups.lists.list();
    return list?.version?.entries === 1 && list.refused_version === null;
  });
  t.equal((await world.database.db('reputation_list_versions')).length, 1);
});

t.test(
  'a file of lists with mistakes keeps the program from starting, and each mistake names list and field',
  async (t) => {
    const list = { name: 'a', signal: 'vpn', format: 'cidrs', url: 'https://lists.example/a' };
    const complaints = async (lists: unknown, more: Record<string, string> = {}) => {
      const settings = { VANTAGE_REPUTATION_LISTS: writeLists(t, lists as object[]), ...more };
      const error = await startReplica(t, world.database.url, settings).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      return error instanceof ConfigError
        ? error.complaints.map(({ name, message }) => `${name} ${message}`).join('\n')
        : '';
    };
    t.match(
      await complaints([
        { ...list, signal: 'tor' },
        { ...list, name: 'b', refresh_s: 1 },
      ]),
      /list "a": signal .*\n.*list "b": refresh_s /,
    );
    t.match(await complaints([{ ...list, urls: '' }]), /VANTAGE_REPUTATION_LISTS .*list "a": urls /);
    t.match(await complaints([{ signal: 'vpn' }]), /list 1: name /);
    t.match(await complaints([list, list]), /list "a" occurs twice/);
    t.match(await complaints([{ ...list, file: '/x' }]), /list "a" needs either file or url/);
    const strict = { VANTAGE_ALLOW_TARGETS: '' };
    t.match(
      await complaints([{ ...list, url: 'http://lists.example/a' }], strict),
      /list "a": url must be an https URL/,
    );
    t.match(await complaints([{ ...list, url: 'https://10.0.0.1/a' }], strict), /list "a": url .*not allowed/);
    t.match(await complaints({}), /lists\.json": the file must be /);
    t.match(
      await complaints([], { VANTAGE_REPUTATION_DNSBL: 'bl.example.org=127.0.0.2:spam' }),
      /VANTAGE_REPUTATION_DNSBL .*does not map/,
    );
    const nine = Array.from({ length: 9 }, (_, n) => `bl${n}.example.org`).join(',');
    t.match(await complaints([], { VANTAGE_REPUTATION_DNSBL: nine }), /has 9 zones; at most 8/);
  },
);
