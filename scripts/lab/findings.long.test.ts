import { isDeepStrictEqual } from 'node:util';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { checkFinding, type FindingCase, findingsIn } from '@vantage/shared/diagnose/_support/finding-case.js';
import { type CodeOf, type FindingCode, findingTable } from '@vantage/shared/diagnose/finding-table.js';
import type { DiagnoseInput } from '@vantage/shared/diagnose/report.js';
import { zoneFindingCodes } from '@vantage/shared/probe-types/zone-audit.js';
import t, { type Test } from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { auditZone, nameCases } from './finding-cases/names.js';
import { pathCases, pingCases } from './finding-cases/paths.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { faultyZones, soundZone } from './servers/dns/faulty-zones.js';
import { serviceAddresses } from './topology.js';

/** Sections whose findings rest on names, packets and routers; agent/test/diagnose-findings.long.test.ts has the others. */
type LabSection = 'dns' | 'ping' | 'traceroute';

/** Times that a zone is audited at most until it has exactly its findings: a name server that is slow once is a fault too. */
const AUDITS = 3;

/** The case, repeated until it has its finding: packets may be lost and late on a busy machine. */
function repeated([section, code]: readonly [LabSection, FindingCode], findCase: FindingCase): FindingCase {
  const hasFinding = (results: Partial<DiagnoseInput>) => {
    try {
      return findingsIn(section, results).some((finding) => finding.code === code);
    } catch {
      // the section is not completed
      return false;
    }
  };
  return (t: Test) => untilRight(() => findCase(t), hasFinding);
}

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
      t.test(`a real server with its fault has the finding ${code}`, (t) => {
        const wanted = [section, code as FindingCode] as const;
        return checkFinding(t, wanted, repeated(wanted, findCase));
      });
  }

  t.test('each zone with a fault has the findings of that fault alone, and a sound one has none', async (t) => {
    const codesOf = async (zone: string) => (await auditZone(prober, zone)).findings.map(({ code }) => code).sort();
    const hasExactly = async (zone: string, codes: readonly string[]) => {
      const found = await untilRight(
        () => codesOf(zone),
        (each) => isDeepStrictEqual(each, codes),
        AUDITS,
      );
      t.strictSame(found, codes, zone);
    };
    await hasExactly(soundZone.origin, []);
    for (const code of zoneFindingCodes) {
      const { origin, also } = faultyZones[code];
      await hasExactly(origin, [code, ...also].sort());
    }
  });

  t.test('no measurement breaks', async (t) => {
    t.strictSame(prober.faults, []);
  });
}
