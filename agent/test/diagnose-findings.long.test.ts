import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { checkFinding, type FindingCase, findingsIn } from '@vantage/shared/diagnose/_support/finding-case.js';
import {
  type CodeOf,
  type FindingCode,
  findingTable,
  type SectionName,
} from '@vantage/shared/diagnose/finding-table.js';
import t from 'tap';
import { CertificateMaker } from './_support/made-certificates.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { flawlessSite, headerCases } from './finding-cases/headers.js';
import { httpCases } from './finding-cases/http.js';
import { sslCases } from './finding-cases/ssl.js';

skipFileWithout('openssl');

/** Sections whose findings rest on names, packets and routers: they have their servers in the lab, scripts/lab/findings.long.test.ts. */
type SectionOfLab = 'dns' | 'ping' | 'traceroute';

/** A server for every code of the table, or it does not compile. */
const cases: { readonly [S in Exclude<SectionName, SectionOfLab>]: Readonly<Record<CodeOf<S>, FindingCase>> } = {
  http: httpCases,
  ssl: sslCases(new CertificateMaker(temporaryDirectory(t))),
  security_headers: headerCases,
};

for (const [section, casesOfSection] of Object.entries(cases) as [
  keyof typeof cases,
  Readonly<Record<string, FindingCase>>,
][]) {
  t.test(`section ${section} has a server for each of its findings`, async (t) => {
    t.strictSame(Object.keys(casesOfSection).sort(), Object.keys(findingTable[section]).sort());
  });
  for (const [code, findCase] of Object.entries(casesOfSection)) {
    t.test(`a real server with its fault has the finding ${code}`, (t) =>
      checkFinding(t, [section, code as FindingCode], findCase),
    );
  }
}

t.test('a site with every header has no finding', async (t) => {
  t.strictSame(findingsIn('security_headers', await flawlessSite(t)), []);
});
