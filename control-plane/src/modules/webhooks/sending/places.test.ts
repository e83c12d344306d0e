import t from 'tap';
import { freePlaces, type UnderWay } from './places.js';

const times = (count: number, host: string, isSlow = false): UnderWay[] =>
  Array.from({ length: count }, () => ({ host, isSlow }));

t.test('a host that has a quarter of the places gets no more of them, among slow endpoints too', async (t) => {
  t.match(freePlaces(times(63, 'a')), { fast: { busyHosts: [] }, slow: { busyHosts: [] } });
  t.match(freePlaces(times(64, 'a')), { fast: { busyHosts: ['a'] }, slow: { busyHosts: [] } });
  t.match(freePlaces(times(16, 'a', true)), { fast: { busyHosts: [] }, slow: { busyHosts: ['a'] } });
});

t.test('slow endpoints have at most 64 places, and nothing is claimed beyond 256', async (t) => {
  const hosts = Array.from({ length: 64 }, (_, n) => `h${n}`);
  const slow = hosts.flatMap((host) => times(1, host, true));
  t.match(freePlaces([]), { fast: { endpoints: 16 }, slow: { endpoints: 16 } });
  t.match(freePlaces(slow), { fast: { endpoints: 16 }, slow: { endpoints: 0 } });
  const fast = hosts.flatMap((host) => times(3, host));
  t.match(freePlaces([...slow, ...fast]), { fast: { endpoints: 0 }, slow: { endpoints: 0 } });
  t.match(freePlaces([...slow, ...fast.slice(0, -4)]), { fast: { endpoints: 1 }, slow: { endpoints: 0 } });
});
