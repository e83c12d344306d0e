import { linkAddresses, type Service, serviceAddresses } from '../../topology.js';
import type { ServerDefinition, ServerOptions } from '../server.js';
import { faultyZonesAt } from './faulty-zones.js';
import { type KnotPlace, prepareKnot } from './knot.js';
import { startUnbound } from './unbound.js';
import { leafZones, rootZone, testZone } from './zones.js';

/** knot for root, test and lab.test, each at its own address, a second one for zones with faults, and unbound that asks them. */
export const dns: ServerDefinition = {
  summary: 'knot as the servers of root, test and lab.test; unbound as validating resolver',
  programs: ['knotd', 'keymgr', 'unbound', 'dig'],
  start,
  offers: [
    [
      `${serviceAddresses('resolver').v4}`,
      'resolver: UDP, TCP, DoT at 853, DoH at https://resolver.lab.test/dns-query',
    ],
    [`${serviceAddresses('root').v4}`, 'the root'],
    [`${serviceAddresses('tld').v4}`, 'test.'],
    [`${serviceAddresses('zone').v4}`, 'lab.test., signed, with records of every type; the reverse names'],
    ['bogus.test', 'signed by another key than its parent says: SERVFAIL'],
    ['insecure.test', 'not signed'],
    ['lame.test sub.lab.test', 'their server does not know them'],
    ['dead.test', 'its server is silent'],
    ['sound.test', 'a zone without a fault; single-ns.test, no-caa.test …: one for each finding of the zone audit'],
    ['large.lab.test TXT, many.lab.test A', 'too large for UDP'],
    ['chain1.lab.test chain9.lab.test loop.lab.test', '8 and 9 aliases to the end; no end'],
  ],
};

async function start(options: ServerOptions): Promise<void> {
  const leaves = [...leafZones(), ...faultyZonesAt('first')];
  const copies = faultyZonesAt('second');
  const zoneServer = prepareKnot(
    placeOf('zone'),
    { origins: leaves.map(({ origin }) => origin), signed: ['lab.test.', 'bogus.test.'] },
    options,
  );
  const testServer = prepareKnot(placeOf('tld'), { origins: ['test.'], signed: ['test.'] }, options);
  const rootServer = prepareKnot(placeOf('root'), { origins: ['.'], signed: ['.'] }, options);
  const second = { name: 'second', addresses: [linkAddresses(4, 'right'), serviceAddresses('second')] } as const;
  const secondServer = prepareKnot(second, { origins: copies.map(({ origin }) => origin), signed: [] }, options);
  const [leafDs, testDs, rootDs] = await Promise.all([
    zoneServer.makeKey('lab.test.').then(async (lab) => ({ lab, bogus: await zoneServer.makeKey('bogus.test.') })),
    testServer.makeKey('test.'),
    rootServer.makeKey('.'),
  ]);
  const ds = { 'lab.test.': leafDs.lab, 'bogus.test.': spoilt(leafDs.bogus), 'test.': testDs };
  await Promise.all([
    zoneServer.start(leaves),
    secondServer.start(copies),
    testServer.start([testZone(ds)]),
    rootServer.start([rootZone(ds)]),
  ]);
  await startUnbound(options, rootDs);
}

function placeOf(service: Service): KnotPlace {
  return { name: service, addresses: [serviceAddresses(service)] };
}

/** DS data that fits no key: another last digit. */
function spoilt(ds: string): string {
  return ds.slice(0, -1) + (ds.endsWith('0') ? '1' : '0');
}
