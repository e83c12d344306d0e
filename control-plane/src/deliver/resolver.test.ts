import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { temporaryDirectory } from '../../test/_support/temporary-directory.js';
import { type FindRecords, recordData, startZoneServer } from '../../test/_support/zone-server.js';
import { Lookups } from './lookups.js';
import { systemResolver } from './resolver.js';

const never = new AbortController().signal;
const four = (address: string) => ({ address, family: 4 as const });
const six = (address: string) => ({ address, family: 6 as const });
const rfc = Buffer.from('20010db8000000000000000000000001', 'hex');

const zone: FindRecords = (name, type) => {
  if (name === 'both.example.com' && type === 'A') return [{ name, type, data: recordData.address('192.0.2.1') }];
  if (name === 'both.example.com' && type === 'AAAA') return [{ name, type, data: rfc }];
  if (name === 'four.example.com') return type === 'A' ? [{ name, type, data: recordData.address('192.0.2.4') }] : [];
  return name === 'mail.example.com' ? [] : null;
};

t.test('a name has the addresses of both families, and an error with its code where there are none', async (t) => {
  const resolve = systemResolver({ clock: new FakeClock(), servers: [await startZoneServer(t, zone)] });
  t.same(await resolve('both.example.com', never), [six('2001:db8::1'), four('192.0.2.1')]);
  t.same(await resolve('four.example.com', never), [four('192.0.2.4')]);
  await t.rejects(resolve('mail.example.com', never), { code: 'ENODATA' });
  await t.rejects(resolve('none.example.com', never), { code: 'ENOTFOUND' });
});

t.test('a line of the hosts file comes before what servers say, as soon as it is written', async (t) => {
  const hostsFile = join(temporaryDirectory(t), 'hosts');
  const resolve = systemResolver({ clock: new FakeClock(), servers: [await startZoneServer(t, zone)], hostsFile });
  t.same(await resolve('four.example.com', never), [four('192.0.2.4')], 'no file');
  writeFileSync(
    hostsFile,
    '# own\n10.0.0.1\tgate FOUR.example.com # old\nfe80::1%eth0 gate\n10.0.0.2 four.example.com\nnonsense x\n',
  );
  t.same(await resolve('four.example.com', never), [four('10.0.0.1'), four('10.0.0.2')]);
  t.same(await resolve('gate', never), [four('10.0.0.1'), six('fe80::1%eth0')]);
  rmSync(hostsFile);
  t.same(await resolve('four.example.com', never), [four('192.0.2.4')]);
  t.same(await resolve('db.localhost', never), [four('127.0.0.1'), six('::1')]);
});

t.test('a lookup that servers do not reply to ends after five seconds, or when its exchange is given up', async (t) => {
  const clock = new FakeClock();
  let queries = 0;
  const silent = await startZoneServer(t, () => {
    queries += 1;
    return undefined;
  });
  const resolve = systemResolver({ clock, servers: [silent] });
  const late = resolve('slow.example.com', never);
  const isLate = t.rejects(late, { code: 'ETIMEOUT' });
  await until('both queries', () => queries === 2);
  clock.advance(5_000);
  await isLate;
  const giveUp = new AbortController();
  const isGivenUp = t.rejects(resolve('slow.example.com', giveUp.signal));
  await until('both queries', () => queries >= 4);
  giveUp.abort();
  await isGivenUp;
  t.equal(clock.pendingTimers, 0);
});

t.test('what one family has counts when servers are silent about the other', async (t) => {
  const clock = new FakeClock();
  const server = await startZoneServer(t, (name, type) =>
    name === 'four.example.com' && type === 'AAAA' ? undefined : zone(name, type),
  );
  const resolve = systemResolver({ clock, servers: [server] });
  const looking = resolve('four.example.com', never);
  // replied to later than the A above was
  await resolve('both.example.com', never);
  await setImmediate();
  clock.advance(5_000);
  t.same(await looking, [four('192.0.2.4')]);
});

t.test('an account has 16 lookups at a time, and those of others do not wait for them', async (t) => {
  const ends: (() => void)[] = [];
  const lookups = new Lookups(
    (name) => new Promise((resolve) => (name === 'deaf' ? ends.push(() => resolve([])) : resolve([four('192.0.2.1')]))),
  );
  const deaf = Array.from({ length: 17 }, () => lookups.run('deaf', 'usr_1', never));
  t.same(await lookups.run('good', 'usr_2', never), [four('192.0.2.1')]);
  const waiting = lookups.run('good', 'usr_1', never);
  t.equal(ends.length, 16);
  ends[0]?.();
  await deaf[0];
  await until('the next one', () => ends.length === 17);
  for (const end of ends) end();
  t.same(await waiting, [four('192.0.2.1')]);
  await Promise.all(deaf);
});
