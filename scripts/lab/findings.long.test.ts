import { checkFinding, type FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import { type CodeOf, type FindingCode, findingTable } from '@vantage/shared/diagnose/finding-table.js';
import { zoneFindingCodes } from '@vantage/shared/probe-types/zone-audit.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { auditZone, nameCases } from './finding-cases/names.js';
import { pathCases, pingCases } from './finding-cases/paths.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { faultyZones, soundZone } from './servers/dns/faulty-zones.js';
import { serviceAddresses } from './topology.js';

/** Sections whose findings rest on names, packets and routers; agent/test/diagnose-findings.long.test.ts has the others. */
type LabSection = 'dns' | 'ping' | 'traceroute';

const servers = ['dns', 'web', 'hostile'] as const;
const skip = await missingForLab({ servers, programs: ['nft'] });

if (skip !== false) t.test('findings of diagnose in the lab', { skip }, async () => {});
else {
  const lab = await startLab({ servers });
  t.teardown(() => lab.stop());
  const root = serviceAddresses('root');
  const prober = await startProber(lab, { rootHints: [root.v4] });

  /** A server for every code of the table, or it does not compile. */
  const cases: { readonly [S in LabSection]: Readonly<Record<CodeOf<S>, FindingCase>> } = {
    dns: nameCases(lab, prober),
    ping: pingCases(lab, prober),
    traceroute: pathCases(lab, prober),
  };

  for (const [section, casesOfSection] of Object.entries(cases) as [
    LabSection,
    Readonly<Record<string, FindingCase>>,
  ][]) {
    t.test(`section ${section} has a server for each of its findings`, async (t) => {
      t.strictSame(Object.keys(casesOfSection).sort(), Object.keys(findingTable[section]).sort());
    });
    for (const [code, findCase] of Object.entries(casesOfSection))
      t.test(`a real server with its fault has the finding ${code}`, (t) =>
        checkFinding(t, [section, code as FindingCode], findCase),
      );
  }

  t.test('each zone with a fault has the findings of that fault alone, and a sound one has none', async (t) => {
    const codesOf = async (zone: string) => (await auditZone(prober, zone)).findings.map(({ code }) => code).sort();
    t.strictSame(await codesOf(soundZone.origin), []);
    for (const code of zoneFindingCodes) {
      const { origin, also } = faultyZones[code];
      t.strictSame(await codesOf(origin), [code, ...also].sort(), origin);
    }
  });

  t.test('no measurement breaks', async (t) => {
    t.strictSame(prober.faults, []);
  });
}
