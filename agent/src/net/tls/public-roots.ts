import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

const certificatePem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Roots that Node trusts when it is given none, PEM: its own, and those in the file of NODE_EXTRA_CA_CERTS, or null. */
export function publicRoots(extraFile: string | null): readonly string[] {
  return extraFile === null ? rootCertificates : [...rootCertificates, ...readExtraRoots(extraFile)];
}

/** As Node does: those before the first one that cannot be read, and none of a file that cannot be read. Node warns of both. */
function readExtraRoots(file: string): string[] {
  const pems = readText(file).match(certificatePem) ?? [];
  const firstBad = pems.findIndex((pem) => !isCertificate(pem));
  return pems.slice(0, firstBad < 0 ? pems.length : firstBad);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
