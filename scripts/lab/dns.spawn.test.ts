import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { askDig, dnsQuestions, recordLines } from './dig.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { serviceAddresses } from './topology.js';

const skip = await missingForLab({ servers: ['dns'], programs: ['dig'] });

if (skip !== false) t.test('dns probes in the lab', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['dns'] });
  t.teardown(() => lab.stop());
  const root = serviceAddresses('root');
  // the node's own resolver is no server for others to choose, unless its operator opens it
  const { v4, v6 } = serviceAddresses('resolver');
  const prober = await startProber(lab, { rootHints: [root.v4, root.v6], allow: [v4, v6] });

  t.test('dns probes have the answers of dig, for every type in the zones of the lab', async (t) => {
    for (const question of dnsQuestions) {
      const { name, type, server, dnssec = false, transport = 'udp' } = question;
      const digs = await askDig(lab, question);
      const ours = await prober.probe('dns', name, { record_type: type, server, dnssec, transport });
      const what = `${name} ${type} @${server}${dnssec ? ' with signatures' : ''} by ${transport}`;
      t.equal(ours.rcode, digs.rcode, what);
      t.strictSame(recordLines(ours), digs.records, what);
    }
  });

  t.test('dns probes speak to a resolver by every transport, with names for servers', async (t) => {
    const own = await prober.probe('dns', 'www.lab.test', { dnssec: true });
    t.match(own, { success: true, resolver: 'system', dnssec: { validated: true, signatures: 1 } });
    t.match(own, { nsid: undefined, ignored: 0, contradictions: 0, case_folded: false });
    const named = await prober.probe('dns', 'www.lab.test', { server: v4 });
    t.match(named, { success: true, nsid: 'lab-resolver', resolver: `${v4}:53` });
    for (const transport of ['udp', 'tcp', 'dot', 'doh'] as const) {
      const result = await prober.probe('dns', 'www.lab.test', { transport, server: 'resolver.lab.test' });
      t.match(result, { success: true, transport, records: [{ value: '25.80.10.10' }] }, transport);
    }
    const verified = await prober.probe('dns', 'www.lab.test', {
      transport: 'dot',
      server: 'resolver.lab.test',
      verify_tls: true,
    });
    t.match(verified, { success: true, tls: { authorized: true } }, 'a certificate for the name that was given');
    const bogus = await prober.probe('dns', 'www.bogus.test');
    t.match(bogus, { success: false, error: { code: 'dns_servfail' }, rcode: 'SERVFAIL' });
  });

  t.test('dns probes walk from the root of the lab, and name its lame and its silent server', async (t) => {
    const trace = (name: string) => prober.probe('dns', name, { trace: true, timeout_ms: 20_000 });
    const found = await trace('www.lab.test');
    t.match(found, { success: true, records: [{ value: '25.80.10.10' }], flags: ['aa'] });
    t.match(found.trace, [
      { zone: '.', outcome: 'referral', delegated_zone: 'test' },
      { zone: 'test', server: 'ns.nic.test', outcome: 'referral', delegated_zone: 'lab.test' },
      { zone: 'lab.test', server: 'ns1.lab.test', outcome: 'answer' },
    ]);
    t.match((await trace('www.lame.test')).trace?.at(-1), { zone: 'lame.test', outcome: 'lame', rcode: 'REFUSED' });
    t.match((await trace('www.dead.test')).trace?.at(-1), { zone: 'dead.test', outcome: 'timeout', rcode: null });
    t.match(await trace('nobody.lab.test'), { error: { code: 'dns_nxdomain' }, rcode: 'NXDOMAIN' });
  });

  t.test('dns probes never break', async (t) => {
    t.strictSame(prober.faults, []);
  });
}
