import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { defaultSources } from 'vantage-agent/probes/sources.js';
import { missingForLab } from './_support/missing-for-lab.js';
import { startWitness } from './_support/witness.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { refusedHosts, refusedUrls } from './programs/refused-places.js';
import { serviceAddresses } from './topology.js';

// Places to which a question of a lookup may lead, with packet counters as the witness.

const servers = ['dns', 'web', 'hostile'] as const;
const skip = await missingForLab({ servers, programs: ['nft', 'ping'] });

if (skip !== false) t.test('lookups go nowhere else', { skip }, async () => {});
else {
  const lab = await startLab({ servers });
  const { v4: registry, v6: comRegistry } = serviceAddresses('hostile');
  const base = `http://${registry}:8100`;
  const rdapBootstrap = { dns: `${base}/dns.json`, ipv4: `${base}/ipv4.json`, ipv6: 'http://private.hostile.test/' };
  const whois = { root: registry, byZone: new Map([['com', `[${comRegistry}]`]]) };
  const registries = { rdapBootstrap, whois };
  const icpUrl = 'http://turning-icp.hostile.test/{domain}';
  const prober = await startProber(lab, { sources: { ...defaultSources, registries, icpUrl } });
  // its first answer says that it has finished probing itself, which it does over loopback
  await prober.probe('tcp', '25.80.10.10', { port: 80 });
  const witness = await startWitness(lab);
  t.teardown(async () => {
    await prober.stop();
    await lab.stop();
  });

  /** Measurement of a lookup, with the parameters of its kind. */
  const measure = async <T extends keyof ProbeResults | 'domain' | 'icp' | 'records'>(
    type: T,
    target: string,
    spec: { readonly params: object } & object = { params: { timeout_ms: 15_000 } },
  ) => (await prober.probeRaw(type, { target, ...spec })) as never as ProbeResults[T & keyof ProbeResults];
  const headersOf = (target: string) => {
    const params = { follow_redirects: true, max_redirects: 5, timeout_ms: 15_000 };
    return measure('http', target, { params, keeps_header_lines: true } as { params: object });
  };
  const registrationOf = (target: string) => measure('domain', target);

  t.test('headers follow no redirect to a refused form', async (t) => {
    for (const [number, place] of refusedUrls.entries()) {
      const result = await headersOf(`${base}/redirect/${number}`);
      t.match(result, { success: false, error: { code: 'target_not_allowed' }, redirects: { length: 1 } }, place);
    }
  });

  t.test('an address that turns private between question and connection is not connected to', async (t) => {
    const web = serviceAddresses('web').v4;
    // each of the connections of an audit goes to the address that was judged
    t.match(await measure('ssl', 'turning-ssl.hostile.test', { params: { port: 443, timeout_ms: 15_000 } }), {
      success: true,
      resolved_ip: web,
    });
    const hops = await headersOf('http://turning-hops.hostile.test/redirect/3');
    t.match(hops, { success: true, redirects: { length: 3 } }, 'redirects to the same name ask for no other address');
    for (const name of ['ssl', 'hops']) {
      const result = await headersOf(`http://turning-${name}.hostile.test/`);
      t.match(result, { success: false, error: { code: 'target_not_allowed' } }, `${name}: it has turned`);
    }
    const icp = [await measure('icp', 'lab.test'), await measure('icp', 'lab.test')];
    const codes = icp.map(({ error }) => error?.code);
    t.strictSame(codes, ['http_protocol', 'target_not_allowed'], 'a page of the web server is no filing');
    t.notMatch(JSON.stringify(icp), /127\.0\.0\.1/, 'where a name leads is not shown');
  });

  t.test('an RDAP server at a refused place is not asked, by bootstrap or by redirect', async (t) => {
    for (const [number, place] of refusedUrls.entries()) {
      for (const name of ['place', 'moved']) {
        const result = await registrationOf(`${name}${number}.com`);
        t.match(result, { success: false, registered: null }, `${name}: ${place}`);
      }
    }
    t.match(await registrationOf('25.80.10.10'), { success: false }, 'the server of a block');
    t.match(await registrationOf('2d00:80:10::10'), { success: false }, 'the list of servers itself');
  });

  t.test('no WHOIS server at a refused host is asked, whether the root or a registry refers to it', async (t) => {
    for (const [number, host] of refusedHosts) {
      const result = await registrationOf(`whois${number}.com`);
      t.ok(
        result.asked.some(({ protocol, server }) => protocol === 'whois' && server === host),
        `${host} is known`,
      );
      t.match(result, { success: false, registered: null }, host);
    }
    for (const name of ['lab.net', 'lab.org']) t.match(await registrationOf(name), { success: false }, name);
  });

  t.test('records and the audit of a zone contact no name server at a refused address', async (t) => {
    for (const name of ['private', 'mixed', 'metadata', 'localhost']) {
      for (const type of ['records', 'zone_audit'] as const) {
        const { error } = await measure(type, `${name}.hostile.test`);
        t.ok(error === null || error.code !== 'internal', `${type} ${name}`);
      }
    }
  });

  t.test('not one packet of a lookup went to a refused address, and the witness would have seen it', async (t) => {
    t.strictSame(prober.faults, []);
    t.strictSame(await witness.seen(), {});
    await witness.control();
    const seen = await witness.seen();
    for (const range of witness.ranges) t.ok((seen[range] ?? 0) > 0, range);
  });
}
