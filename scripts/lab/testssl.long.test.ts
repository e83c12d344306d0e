import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { type Lab, startLab } from './lab.js';
import { startProber } from './prober.js';
import { directoryOf } from './records.js';
import { authorityFile } from './servers/certificates.js';

const skip = await missingForLab({ servers: ['dns', 'web'], programs: ['testssl'] });

/** Facts about a server and its certificate that both programs state. */
type Facts = Readonly<Record<string, unknown>>;

/** Versions by the names of testssl's findings. */
const versions = { SSLv3: 'SSLv3', TLS1: 'TLSv1', TLS1_1: 'TLSv1.1', TLS1_2: 'TLSv1.2', TLS1_3: 'TLSv1.3' } as const;

if (skip !== false) t.test('ssl and testssl in the lab', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['dns', 'web'] });
  t.teardown(() => lab.stop());
  const prober = await startProber(lab);

  for (const [host, expected] of Object.entries({
    'www.lab.test': { staple: true, isExpired: false, isTrusted: true },
    'expired.lab.test': { staple: false, isExpired: true, isTrusted: false },
  }))
    t.test(`ssl agrees with testssl about versions, chain, dates and staple of ${host}`, async (t) => {
      const ours = factsOf(await prober.probe('ssl', host));
      t.match(ours, expected);
      t.strictSame(ours, await testsslFacts(lab, host));
    });
}

function factsOf(result: ProbeResults['ssl']): Facts {
  const [leaf] = result.chain;
  return {
    versions: result.tls_versions.flatMap(({ version, supported }) => (supported === true ? [version] : [])),
    fingerprint: leaf?.fingerprint_sha256?.replaceAll(':', ''),
    certificates: result.chain.length,
    notAfter: leaf?.not_after?.slice(0, 16).replace('T', ' '),
    days: (result.days_until_expiry ?? -1) < 0 ? null : result.days_until_expiry,
    isExpired: result.warnings.includes('expired'),
    isTrusted: result.valid,
    isForName: !result.warnings.includes('name_mismatch'),
    isInOrder: !result.warnings.includes('wrong_order'),
    staple: result.ocsp_status !== 'none',
  };
}

async function testsslFacts(lab: Lab, host: string): Promise<Facts> {
  const directory = directoryOf(lab.name);
  const file = join(directory, `${host}.json`);
  // its exit code is the number of its complaints
  const script = 'testssl --warnings off --quiet --add-ca "$0" -p -S --jsonfile "$1" "$2" > /dev/null || true';
  await lab.exec('agent', 'sh', '-c', script, authorityFile(directory), file, host);
  const list: readonly { readonly id: string; readonly finding: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  const say = (id: string) => list.find((one) => one.id === id)?.finding ?? '';
  const days = /^(\d+) /.exec(say('cert_expirationStatus'))?.[1];
  return {
    versions: Object.entries(versions).flatMap(([id, name]) => (say(id).startsWith('offered') ? [name] : [])),
    fingerprint: say('cert_fingerprintSHA256'),
    certificates: Number(say('certs_countServer')),
    notAfter: say('cert_notAfter'),
    days: days === undefined ? null : Number(days),
    isExpired: say('cert_expirationStatus') === 'expired',
    isTrusted: say('cert_chain_of_trust').startsWith('passed'),
    isForName: say('cert_trust').startsWith('Ok via SAN'),
    isInOrder: say('certs_list_ordering_problem') === 'no',
    staple: say('OCSP_stapling') === 'offered',
  };
}
