import { untilRight } from '@vantage/shared/_support/attempts.js';
import { type ZoneFindingCode, zoneFindingCodes } from '@vantage/shared/probe-types/zone-audit.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { zonemasterIn } from './_support/zonemaster.js';
import { auditZone } from './finding-cases/names.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { faultyZones, soundZone } from './servers/dns/faulty-zones.js';
import { serviceAddresses } from './topology.js';

/** Test case of zonemaster that finds the same fault, and the tag of its message; or why it has none. */
type Counterpart = { readonly testCase: string; readonly tag: string } | { readonly whyNone: string };

const counterparts: Readonly<Record<ZoneFindingCode, Counterpart>> = {
  single_ns: { testCase: 'delegation/delegation01', tag: 'NOT_ENOUGH_NS_DEL' },
  ns_one_network: { whyNone: 'it compares the autonomous systems of addresses, by a service on the Internet' },
  ns_lame: { testCase: 'connectivity/connectivity01', tag: 'CN01_UNEXPECTED_RCODE_SOA_QUERY_UDP' },
  ns_unreachable: { testCase: 'connectivity/connectivity01', tag: 'CN01_NO_RESPONSE_UDP' },
  parent_child_differ: { testCase: 'delegation/delegation07', tag: 'EXTRA_NAME_CHILD' },
  glue_missing: { testCase: 'consistency/consistency05', tag: 'EXTRA_ADDRESS_CHILD' },
  serials_differ: { testCase: 'consistency/consistency01', tag: 'MULTIPLE_SOA_SERIALS' },
  soa_timers: { testCase: 'zone/zone02', tag: 'REFRESH_MINIMUM_VALUE_LOWER' },
  cname_at_apex: { whyNone: 'it has no test for an alias at the apex' },
  mx_is_cname: { testCase: 'zone/zone08', tag: 'MX_RECORD_IS_CNAME' },
  mx_missing_address: { whyNone: 'it does not look up mail servers' },
  dnssec_bogus: { testCase: 'dnssec/dnssec02', tag: 'DS02_NO_MATCH_DS_DNSKEY' },
  ds_without_dnskey: { testCase: 'dnssec/dnssec11', tag: 'DS11_DS_BUT_UNSIGNED_ZONE' },
  no_caa: { whyNone: 'it does not ask for CAA records' },
  no_spf: { whyNone: 'the version of Debian 12 does not read SPF records' },
  several_spf: { whyNone: 'the version of Debian 12 does not read SPF records' },
  no_dmarc: { whyNone: 'it does not ask for DMARC records' },
  wildcard: { whyNone: 'it does not ask for names below the zone' },
};

const servers = ['dns', 'hostile'] as const;
const skip = await missingForLab({ servers, programs: ['zonemaster-cli'] });

if (skip !== false) t.test('zonemaster in the lab', { skip }, async () => {});
else {
  const lab = await startLab({ servers });
  t.teardown(() => lab.stop());
  const zonemaster = zonemasterIn(lab);
  const prober = await startProber(lab, { rootHints: [serviceAddresses('root').v4] });

  t.test('zonemaster has none of its messages about a sound zone', async (t) => {
    const known = Object.values(counterparts).filter((one) => 'tag' in one);
    const tags = await zonemaster.tags(soundZone.origin, [...new Set(known.map(({ testCase }) => testCase))]);
    for (const { tag } of known) t.notOk(tags.has(tag), tag);
  });

  for (const code of zoneFindingCodes) {
    const counterpart = counterparts[code];
    const { origin } = faultyZones[code];
    if ('whyNone' in counterpart) continue;
    t.test(`zonemaster finds the fault ${code} where the audit finds it`, async (t) => {
      const isFound = ({ findings }: Awaited<ReturnType<typeof auditZone>>) =>
        findings.some((finding) => finding.code === code);
      // both give up a name server that is slow, and then see another fault in place of this one
      const [ours, tags] = await untilRight(
        () => Promise.all([auditZone(prober, origin), zonemaster.tags(origin, [counterpart.testCase])]),
        ([audit, found]) => isFound(audit) && found.has(counterpart.tag),
        3,
      );
      t.ok(isFound(ours));
      t.ok(tags.has(counterpart.tag), `${counterpart.tag} among ${[...tags].join(' ')}`);
    });
  }
}
