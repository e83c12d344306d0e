import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { parseAddress } from '@vantage/shared/target-policy/address.js';
import fc from 'fast-check';
import { Reader } from 'maxmind';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { encodeMmdb, MmdbRaw, type MmdbValue, uint32 } from '../../test/_support/mmdb-writer.js';
import { GeoDatabase, GeoDatabaseError } from './geo-database.js';
import { GeoDatabases } from './geo-databases.js';
import { MmdbError } from './mmdb/mmdb-error.js';
import { MmdbReader } from './mmdb/mmdb-reader.js';
import { RangeDatabase, RangeDatabaseError } from './range-database.js';

const testdata = (name: string) => fileURLToPath(new URL(`../../../test/testdata/geo/${name}`, import.meta.url));
const DAY_MS = 86_400_000;
const builtMs = new Reader<object>(readFileSync(testdata('city.mmdb'))).metadata.buildEpoch.getTime();

/** Databases of a directory with copies of these test files, and what they log. */
async function openDatabases(t: Test, ...files: string[]) {
  const directory = t.testdir({});
  for (const file of files) copyFileSync(testdata(file), path.join(directory, file));
  const clock = new FakeClock(builtMs);
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const databases = new GeoDatabases({ directory, clock, log });
  await databases.start();
  t.teardown(() => databases.stop());
  /** Lets it look at the directory again so often. */
  const look = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await until('the last look to end', () => clock.pendingTimers === 1);
      clock.advance(5_000);
    }
    await until('the looks to end', () => clock.pendingTimers === 1);
  };
  const said = (msg: string) => lines.filter((line) => line.msg === msg);
  return { databases, directory, clock, look, said, at: (name: string) => path.join(directory, name) };
}

t.test('a place and a network are read from databases of every vendor’s form', async (t) => {
  const { databases } = await openDatabases(t, 'city.mmdb', 'asn.mmdb', 'ipinfo.mmdb', 'connection.mmdb');
  t.strictSame(databases.locate('81.2.69.142'), {
    country: 'GB',
    province: 'GB-ENG',
    city: 'London',
    latitude: 51.5142,
    longitude: -0.0931,
    asn: 20712,
    isp: 'Andrews & Arnold Ltd',
    provider: 'Andrews & Arnold Ltd',
  });
  t.match(databases.locate('2001:218::53'), { country: 'JP', province: 'JP-13', city: 'Tokyo', asn: 2914 });
  t.match(databases.locate('41.58.1.1'), { country: 'NG', city: 'Lagos', latitude: 6.45407, asn: 37148 });
  t.match(databases.locate('41.60.1.1'), { country: 'KE', city: null, asn: 15808, isp: 'Access Kenya' });
  t.strictSame(databases.locate('1.128.0.1'), { asn: 1221, isp: 'Telstra Pty Ltd', provider: 'Telstra Pty Ltd' });
  t.equal(databases.locate('5.83.1.1'), null, 'a country that ISO 3166-1 does not have');
  t.equal(databases.locate('198.41.0.4'), null, 'unknown to all');
});

t.test('what a vendor writes for an unknown value, and a time zone that is no name, are unknown', async (t) => {
  const { databases } = await openDatabases(t, 'ip2location.mmdb');
  t.match(databases.describe('203.106.1.1'), {
    location: { country: 'MY', province: null, city: 'Petaling Jaya', latitude: 3.10726 },
    details: { region: 'Selangor', timezone: null },
    cidr: '203.106.0.0/16',
  });
  t.match(databases.describe('203.107.1.1'), {
    location: { country: 'MY', city: null },
    details: { region: null, timezone: null },
  });
  t.match(databases.describe('203.108.1.1'), { location: null, network: null });
});

t.test('an address that is not public has no place, whatever a database says', async (t) => {
  const { databases } = await openDatabases(t, 'city.mmdb');
  for (const address of ['10.1.2.3', '127.0.0.1', '::1', '::ffff:10.1.2.3', 'fe80::1', '', 'x', '0.0.0.0']) {
    t.equal(databases.locate(address), null, address);
  }
});

t.test('of two databases the more precise one is used first, then the newer one', async (t) => {
  const { databases } = await openDatabases(t, 'country.mmdb', 'city.mmdb', 'asn.mmdb', 'isp.mmdb');
  t.match(databases.locate('81.2.69.142'), { country: 'GB' }, 'a city’s before a country’s');
  t.match(
    databases.locate('1.128.0.1'),
    { country: 'AU', isp: 'Telstra Internet', provider: 'Hetzner Online GmbH' },
    'what one does not know the other may',
  );
});

t.test('a database of cities is used before a newer one of countries that also knows networks', async (t) => {
  const { databases, look, at } = await openDatabases(t, 'city.mmdb');
  const record = { country: 'GB', country_name: 'United Kingdom', asn: 'AS1', as_name: 'Newer' };
  const type = 'ipinfo generic_country_asn_free.mmdb';
  const builtSec = builtMs / 1000 + 86_400;
  writeFileSync(at('newer.mmdb'), encodeMmdb({ type, builtSec, records: { '81.2.69.0/24': record } }));
  await look(2);
  t.match(databases.locate('81.2.69.142'), { city: 'London', asn: 1, isp: 'Newer' });
});

t.test('files that come, change and go are noticed while running', async (t) => {
  const { databases, look, at, said } = await openDatabases(t);
  let changes = 0;
  databases.onChange(() => {
    changes += 1;
  });
  t.equal(databases.locate('81.2.69.142'), null);
  copyFileSync(testdata('city.mmdb'), at('places.mmdb'));
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'GB' }, 'added');
  copyFileSync(testdata('city-newer.mmdb'), at('new.tmp'));
  renameSync(at('new.tmp'), at('places.mmdb'));
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'FR' }, 'replaced at once');
  writeFileSync(at('places.mmdb'), readFileSync(testdata('city.mmdb')));
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'GB' }, 'written over');
  rmSync(at('places.mmdb'));
  await look(1);
  t.equal(databases.locate('81.2.69.142'), null, 'removed');
  t.equal(changes, 4);
  await look(3);
  t.equal(changes, 4, 'and nothing is read again that did not change');
  t.equal(said('geo database in use').length, 3);
});

t.test('a half-written file leaves the old one in use, and is reported once', async (t) => {
  const { databases, look, at, said } = await openDatabases(t, 'city.mmdb');
  const whole = readFileSync(testdata('city-newer.mmdb'));
  writeFileSync(at('city.mmdb'), whole.subarray(0, whole.length / 2));
  await look(1);
  t.equal(said('cannot use geo database, keeping the previous one').length, 0, 'it may still be written');
  await look(3);
  t.match(databases.locate('81.2.69.142'), { country: 'GB' });
  t.equal(said('cannot use geo database, keeping the previous one').length, 1);
  t.match(said('cannot use geo database, keeping the previous one')[0]?.err?.message, /cannot use "city.mmdb": /);
  t.same(databases.count(), { current: 1, old: 0, unusable: 1 });
  writeFileSync(at('city.mmdb'), whole);
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'FR' }, 'once it is whole it is used');
  t.same(databases.count(), { current: 1, old: 0, unusable: 0 });
});

t.test('a file cut anywhere is refused or answers, and never throws', async (t) => {
  const { databases, look, at } = await openDatabases(t, 'city.mmdb');
  const { length } = readFileSync(testdata('city.mmdb'));
  for (let bytes = 0; bytes < length; bytes += Math.ceil(length / 12)) {
    writeFileSync(at('city.mmdb'), readFileSync(testdata('city.mmdb')));
    truncateSync(at('city.mmdb'), bytes);
    await look(2);
    t.match(databases.locate('81.2.69.142'), { country: 'GB' }, `${bytes} bytes: the old one stays`);
  }
});

t.test('a file of another type is refused, whatever it is called', async (t) => {
  const { databases, look, at, said } = await openDatabases(t, 'city.mmdb');
  const whole = readFileSync(testdata('city.mmdb'));
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  const others: Readonly<Record<string, Buffer>> = {
    'an empty file': Buffer.alloc(0),
    'a page that asks to sign in': Buffer.from('<!doctype html><title>Sign in</title>'),
    'a compressed database': gzipSync(whole),
    'a database of the BIN form': Buffer.concat([Buffer.from([11, 4, 26, 11, 1]), Buffer.alloc(4096, 7)]),
    'the marker and nothing behind it': marker,
    'the marker and something else behind it': Buffer.concat([marker, Buffer.from('GIF89a')]),
    'metadata without a tree': whole.subarray(whole.lastIndexOf(marker)),
  };
  for (const [index, [name, bytes]] of Object.entries(others).entries()) {
    writeFileSync(at('city.mmdb'), bytes);
    await look(2);
    t.match(databases.locate('81.2.69.142'), { country: 'GB' }, `${name}: the old one stays`);
    t.equal(said('cannot use geo database, keeping the previous one').length, index + 1, name);
  }
});

/** Arrays of two pointers to the next array, 40 of them, and an empty text: 2^40 values. `at` is their place in the section. */
function fanOut(at: number): MmdbRaw {
  const pointer = (offset: number) => [0x20 | (offset >> 8), offset & 0xff];
  const arrays = Array.from({ length: 40 }, (_, level) => at + 6 * (level + 1)).flatMap((next) => [
    2,
    4,
    ...pointer(next),
    ...pointer(next),
  ]);
  return new MmdbRaw(Buffer.from([...arrays, 0x40]));
}

const raw = (...bytes: readonly number[]) => new MmdbRaw(Buffer.from(bytes));
const longText = new MmdbRaw(Buffer.concat([Buffer.from([0x5e, 0xfe, 0xe2]), Buffer.alloc(65_535, 'x')]));
const hostileRecords: Readonly<Record<string, [MmdbValue, RegExp]>> = {
  'pointers that fan out to 2^40 values': [fanOut(0), /more than 65536 values/],
  'an array of sixteen million members': [raw(0x1f, 4, 0xff, 0xff, 0xff), /more than 65536 values/],
  'a map of sixteen million members': [raw(0xff, 0xff, 0xff, 0xff), /more than 65536 values/],
  'arrays inside of each other': [raw(...Array.from({ length: 600 }, () => [1, 4]).flat(), 0x40), /deeper than 512/],
  'an array that contains itself': [raw(1, 4, 0x20, 0), /deeper than 512/],
  'a pointer to itself': [raw(0x20, 0), /pointer to a pointer/],
  'a text of 64 KiB, a thousand times': [
    new MmdbRaw(
      Buffer.concat([
        Buffer.from([0x1e, 4, 2, 203]),
        ...Array(1_000).fill(Buffer.from([0x28, 3, 0xbc])),
        longText.bytes,
      ]),
    ),
    /more than 2097152 bytes/,
  ],
  'a map with an array for a name': [raw(0xe1, 0, 4, 0x40), /a name that is no text/],
  'a number of seventeen bytes': [raw(0x11, 3, ...Array(17).fill(1)), /a number of 17 bytes/],
};
const hostileFiles: Readonly<Record<string, [Buffer, RegExp]>> = {
  ...Object.fromEntries(
    Object.entries(hostileRecords).map(([name, [record, reason]]) => [
      name,
      [encodeMmdb({ type: 'GeoLite2-City', records: { '0.0.0.0/0': record } }), reason],
    ]),
  ),
  'metadata that fan out to 2^40 values': [
    encodeMmdb({ type: 'GeoLite2-City', metadata: { description: fanOut(13) }, records: { '0.0.0.0/0': {} } }),
    /more than 65536 values/,
  ],
  'a search tree that leads back to its start': [
    // the metadata and data of a tree of one node, before it a node with itself on both sides
    Buffer.concat([Buffer.alloc(7), encodeMmdb({ type: 'GeoLite2-City', records: { '::/1': {} } }).subarray(7)]),
    /deeper than an address/,
  ],
  'a search tree that is longer than the file': [
    encodeMmdb({ type: 'GeoLite2-City', metadata: { node_count: uint32(0xffff_ffff) }, records: {} }),
    /shorter than its search tree/,
  ],
  'a time that no calendar has': [
    encodeMmdb({ type: 'GeoLite2-City', builtSec: 2 ** 62, records: { '0.0.0.0/0': { country_code: 'GB' } } }),
    /no valid time/,
  ],
};

t.test('a hostile database is refused with its reason after little work, and the old one stays in use', async (t) => {
  const { databases, look, at, said } = await openDatabases(t, 'city.mmdb');
  for (const [index, [name, [bytes, reason]]] of Object.entries(hostileFiles).entries()) {
    writeFileSync(at('city.mmdb'), bytes);
    await look(2);
    t.match(databases.locate('81.2.69.142'), { country: 'GB' }, name);
    const refused = said('cannot use geo database, keeping the previous one');
    t.equal(refused.length, index + 1, name);
    t.match(refused.at(-1)?.err?.message, reason, name);
    t.throws(() => new RangeDatabase(bytes), RangeDatabaseError, `${name}, as a list`);
  }
});

t.test('a hostile record among valid ones is an unknown address after little work', async (t) => {
  const { databases, look, at } = await openDatabases(t);
  for (const [name, [record]] of Object.entries(hostileRecords)) {
    const records = { '81.2.69.0/24': record, '1.128.0.0/16': { country_code: 'AU' } };
    const bytes = encodeMmdb({ type: 'GeoLite2-City', records });
    writeFileSync(at('city.mmdb'), bytes);
    await look(2);
    t.match(databases.locate('1.128.0.1'), { country: 'AU' }, name);
    t.equal(databases.locate('81.2.69.142'), null, name);
    t.equal(new RangeDatabase(bytes).find('81.2.69.142'), null, `${name}, as a list`);
  }
});

t.test('a database with other bytes in any places is refused as damaged, or answers', async (t) => {
  const files = ['city.mmdb', 'asn.mmdb', 'ipinfo.mmdb'].map((name) => readFileSync(testdata(name)));
  const addresses = ['81.2.69.142', '2001:218::53', '41.58.1.1', '1.128.0.1'].flatMap(
    (text) => parseAddress(text) ?? [],
  );
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, fc.boolean(), (file, changed, isAtEnd) => {
        const bytes = Buffer.from(file);
        const range = isAtEnd ? 300 : bytes.length;
        for (const [at, byte] of changed) bytes[bytes.length - 1 - (at % range)] = byte;
        try {
          const reader = new MmdbReader(bytes);
          for (const address of addresses) if (reader.covers(address)) reader.find(address);
        } catch (error) {
          if (!(error instanceof MmdbError)) throw error;
        }
      }),
      { numRuns: 1_000 },
    ),
  );
});

t.test('a database of another type and a file that is none are not used, and are reported', async (t) => {
  const { databases, look, at, said } = await openDatabases(t, 'connection.mmdb');
  t.equal(databases.describe('81.2.69.142'), null, 'no database is in use');
  writeFileSync(at('page.mmdb'), '<!doctype html><title>Sign in</title>');
  writeFileSync(at('empty.mmdb'), '');
  await look(3);
  t.equal(databases.describe('81.2.69.142'), null);
  t.same(databases.count(), { current: 0, old: 0, unusable: 3 });
  t.match(
    said('cannot use geo database, keeping the previous one').map(({ err }) => err?.message),
    [
      'cannot use "connection.mmdb": a GeoIP2-Connection-Type has neither places nor networks',
      /^cannot use "empty.mmdb": /,
      /^cannot use "page.mmdb": /,
    ],
  );
  writeFileSync(at('connection.mmdb'), readFileSync(testdata('asn.mmdb')));
  await look(2);
  t.match(databases.describe('81.2.69.142'), { network: { asn: 20712 }, sources: [{ name: 'GeoLite2-ASN' }] });
});

t.test('a file that is replaced while it is read is one of the two databases, or is refused', async (t) => {
  const file = path.join(t.testdir({}), 'places.mmdb');
  const contents = [readFileSync(testdata('city.mmdb')), readFileSync(testdata('city-newer.mmdb'))] as const;
  const outcomes = new Set<string>();
  const isSeen = (outcome: RegExp) => [...outcomes].some((seen) => outcome.test(seen));
  // at another moment each time, until one was between the two looks at the file
  for (let round = 0; round < 5_000 && !(isSeen(/is being written/) && isSeen(/FR|GB/)); round += 1) {
    writeFileSync(file, contents[round % 2] ?? '');
    const opening = GeoDatabase.open(file).then(
      (database) => database.location('81.2.69.142')?.country ?? 'unknown',
      (error) => (error instanceof GeoDatabaseError ? error.message : `threw ${error}`),
    );
    for (let turn = 0; turn < round % 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(file, contents[(round + 1) % 2] ?? '');
    outcomes.add(await opening);
  }
  t.ok(isSeen(/is being written/), 'what was read is not what is there');
  for (const outcome of outcomes) t.match(outcome, /^(?:FR|GB|cannot use "places.mmdb": .*)$/);
});

t.test('a missing directory is not treated as an empty one', async (t) => {
  const { databases, directory, look, said } = await openDatabases(t, 'city.mmdb');
  renameSync(directory, `${directory}.away`);
  t.teardown(() => rmSync(`${directory}.away`, { recursive: true, force: true }));
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'GB' });
  t.equal(said('cannot look for geo databases').length, 1);
  renameSync(`${directory}.away`, directory);
  await look(2);
  t.match(databases.locate('81.2.69.142'), { country: 'GB' });
});

t.test('a database older than 60 days is reported once a day', async (t) => {
  const { databases, clock, look, said } = await openDatabases(t, 'city.mmdb', 'asn.mmdb');
  t.strictSame(databases.old(), []);
  clock.advance(61 * DAY_MS);
  await look(3);
  t.match(databases.old(), [{ ageDays: 61 }, { ageDays: 61 }]);
  t.same(databases.count(), { current: 0, old: 2, unusable: 0 });
  t.equal(said('geo database is old, update it').length, 2);
  clock.advance(DAY_MS);
  await look(1);
  t.equal(said('geo database is old, update it').length, 4);
});
