import t from 'tap';
import { freePlaces, type UnderWay } from './places.js';

const times = (count: number, host: string, isSlow = false, account = `usr_${host}`): UnderWay[] =>
  Array.from({ length: count }, () => ({ host, account, isSlow }));

t.test('a host that has a quarter of the places gets no more of them, among slow endpoints too', async (t) => {
  t.match(freePlaces(times(127, 'a')), { fast: { busyHosts: [] }, slow: { busyHosts: [] } });
  t.match(freePlaces(times(128, 'a')), { fast: { busyHosts: ['a'] }, slow: { busyHosts: [] } });
  t.match(freePlaces(times(32, 'a', true)), { fast: { busyHosts: [] }, slow: { busyHosts: ['a'] } });
});

t.test('an account that has an eighth of the places gets no more of them, at whatever hosts they are', async (t) => {
  const hosts = Array.from({ length: 15 }, (_, n) => `h${n}`);
  const fast = hosts.flatMap((host) => times(4, host, false, 'usr_1'));
  t.match(freePlaces(fast).fast, { ofAccount: 16, left: new Map([['usr_1', 1]]) });
  t.match(freePlaces([...fast, ...times(1, 'other', false, 'usr_1')]).fast, { left: new Map([['usr_1', 0]]) });
  const slow = hosts.flatMap((host) => times(1, host, true, 'usr_1'));
  t.match(freePlaces(slow).slow, { ofAccount: 16, left: new Map([['usr_1', 1]]) });
  t.match(freePlaces([...slow, ...times(1, 'other', true, 'usr_1')]).slow, { left: new Map([['usr_1', 0]]) });
});

t.test('slow endpoints have at most 128 places, and nothing is claimed beyond 512', async (t) => {
  const hosts = Array.from({ length: 128 }, (_, n) => `h${n}`);
  const slow = hosts.flatMap((host) => times(1, host, true));
  t.match(freePlaces([]), { fast: { endpoints: 32 }, slow: { endpoints: 32 } });
  t.match(freePlaces(slow), { fast: { endpoints: 32 }, slow: { endpoints: 0 } });
  const fast = hosts.flatMap((host) => times(3, host));
  t.match(freePlaces([...slow, ...fast]), { fast: { endpoints: 0 }, slow: { endpoints: 0 } });
  t.match(freePlaces([...slow, ...fast.slice(0, -4)]), { fast: { endpoints: 1 }, slow: { endpoints: 0 } });
});
