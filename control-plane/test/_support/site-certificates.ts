import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';

/** A certificate and its key, PEM. */
export interface SiteCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Certificates of 127.0.0.1, and their faults. */
export interface SiteCertificates {
  /** Authority that signed all of them, for NODE_EXTRA_CA_CERTS. */
  readonly authorityFile: string;
  readonly good: SiteCertificate;
  readonly expired: SiteCertificate;
  /** Certificate of another address. */
  readonly foreign: SiteCertificate;
}

/** Creates them with openssl in a directory of the test. */
export function makeSiteCertificates(directory: string): SiteCertificates {
  const file = (name: string) => join(directory, name);
  const issue = (name: string, { extensions, days }: { extensions: string; days: number }): SiteCertificate => {
    const [key, request, certificate] = [file(`${name}.key`), file(`${name}.csr`), file(`${name}.pem`)];
    writeFileSync(file(`${name}.ext`), extensions);
    const signer =
      name === 'authority'
        ? ['-signkey', key]
        : ['-CA', file('authority.pem'), '-CAkey', file('authority.key'), '-CAcreateserial'];
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key);
    openssl('req', '-new', '-key', key, '-subj', `/CN=Test ${name}`, '-out', request);
    const words = ['-in', request, '-out', certificate, '-days', String(days), '-extfile', file(`${name}.ext`)];
    openssl('x509', '-req', '-sha256', ...words, ...signer);
    return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  };
  const of = (address: string) => `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth\n`;
  issue('authority', { extensions: 'basicConstraints=critical,CA:true\n', days: 60 });
  return {
    authorityFile: file('authority.pem'),
    good: issue('good', { extensions: of('127.0.0.1'), days: 60 }),
    expired: issue('expired', { extensions: of('127.0.0.1'), days: -1 }),
    foreign: issue('foreign', { extensions: of('192.0.2.1'), days: 60 }),
  };
}

function openssl(...words: readonly string[]): void {
  demand('openssl');
  execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
