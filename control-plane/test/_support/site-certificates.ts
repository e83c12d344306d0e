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

/** Common names of a certificate and its authority, and the entries of subjectAltName, in the words of openssl. */
interface CertificateNames {
  readonly subject: string;
  readonly issuer: string;
  readonly altNames: readonly string[];
}

/** Creates them with openssl in a directory of the test. */
export function makeSiteCertificates(directory: string): SiteCertificates {
  const of = (name: string, address: string, days = 60) =>
    issue(directory, { name, subject: `Test ${name}`, altNames: [`IP:${address}`], days });
  issueAuthority(directory, 'Test authority');
  return {
    authorityFile: join(directory, 'authority.pem'),
    good: of('good', '127.0.0.1'),
    expired: of('expired', '127.0.0.1', -1),
    foreign: of('foreign', '192.0.2.1'),
  };
}

/** Creates a certificate with these names, signed by an authority of its own, in a directory of the test. */
export function makeNamedCertificate(directory: string, { subject, issuer, altNames }: CertificateNames) {
  issueAuthority(directory, issuer);
  return issue(directory, { name: 'named', subject, altNames, days: 60 });
}

interface Wishes {
  /** Begins the names of its files. */
  readonly name: string;
  readonly subject: string;
  readonly altNames: readonly string[];
  readonly days: number;
}

function issue(directory: string, { name, subject, altNames, days }: Wishes): SiteCertificate {
  const extensions = `subjectAltName=${altNames.join(',')}\nextendedKeyUsage=serverAuth\n`;
  const signer = ['-CA', join(directory, 'authority.pem'), '-CAkey', join(directory, 'authority.key')];
  return sign(directory, { name, subject, days, extensions, signer: [...signer, '-CAcreateserial'] });
}

function issueAuthority(directory: string, subject: string): void {
  const signer = ['-signkey', join(directory, 'authority.key')];
  sign(directory, { name: 'authority', subject, days: 60, extensions: 'basicConstraints=critical,CA:true\n', signer });
}

interface Signing extends Omit<Wishes, 'altNames'> {
  /** Extension file of openssl. */
  readonly extensions: string;
  readonly signer: readonly string[];
}

function sign(directory: string, { name, subject, days, extensions, signer }: Signing): SiteCertificate {
  const file = (ending: string) => join(directory, `${name}.${ending}`);
  writeFileSync(file('ext'), extensions);
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file('key'));
  const words = ['-utf8', '-subj', `/CN=${subject.replaceAll('/', '\\/')}`];
  openssl('req', '-new', '-key', file('key'), ...words, '-out', file('csr'));
  const lifetime = ['-days', String(days), '-extfile', file('ext')];
  openssl('x509', '-req', '-sha256', '-in', file('csr'), '-out', file('pem'), ...lifetime, ...signer);
  return { cert: readFileSync(file('pem'), 'utf8'), key: readFileSync(file('key'), 'utf8') };
}

function openssl(...words: readonly string[]): void {
  demand('openssl');
  execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
