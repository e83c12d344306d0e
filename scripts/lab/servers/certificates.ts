import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import { run } from '../namespaces.js';
import { type Service, serviceAddresses } from '../topology.js';

/** A chain (leaf and intermediate, or the leaf alone where it signed itself) and its key, PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The certificates of a lab. All are signed by its intermediate authority, but the one that signed itself. */
export type Certificates = Readonly<
  Record<'good' | 'expired' | 'future' | 'wrongName' | 'selfSigned', CertificateFiles>
>;

const named: readonly Service[] = ['web', 'legacy', 'tls12', 'tls13', 'mail', 'resolver', 'hostile'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The authority that programs must trust to find the good certificates good, PEM; there once a server needed it. */
export function authorityFile(labDirectory: string): string {
  return join(labDirectory, 'certificates', 'ca.pem');
}

/**
 * Creates the certificates of a lab with openssl, in a directory that does not exist yet.
 * @throws MissingProgramsError
 */
export async function makeCertificates(directory: string): Promise<Certificates> {
  demand('openssl');
  await make(directory);
  const files = (name: string) => ({ cert: join(directory, `${name}.pem`), key: join(directory, 'server.key') });
  return {
    good: files('good'),
    expired: files('expired'),
    future: files('future'),
    wrongName: files('wrong-name'),
    selfSigned: files('self-signed'),
  };
}

async function make(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'openssl.conf'), configuration(directory));
  for (const authority of ['ca', 'intermediate']) {
    writeFileSync(join(directory, `${authority}.index`), '');
    writeFileSync(join(directory, `${authority}.serial`), '1000\n');
  }
  await Promise.all(['ca', 'intermediate', 'server'].map((name) => makeRequest(directory, name)));
  const authorityExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
  const authorities = { extensions: authorityExtensions, days: [-30, 3650] as const, signer: 'ca' };
  await sign(directory, { ...authorities, name: 'ca', key: 'ca', subject: 'Vantage lab root', isSelfSigned: true });
  await sign(directory, {
    ...authorities,
    name: 'intermediate',
    key: 'intermediate',
    subject: 'Vantage lab intermediate',
  });
  const leaf = (name: string, subject: string, names: string, days: readonly [number, number]): Wanted => ({
    name,
    key: 'server',
    subject,
    extensions: [`subjectAltName=${names}`, 'basicConstraints=CA:FALSE', 'extendedKeyUsage=serverAuth'],
    days,
    signer: 'intermediate',
  });
  const wanted = [
    leaf('good', 'lab.test', goodNames(), [-1, 90]),
    leaf('expired', 'expired.lab.test', 'DNS:expired.lab.test', [-90, -1]),
    leaf('future', 'future.lab.test', 'DNS:future.lab.test', [30, 90]),
    leaf('wrong-name', 'elsewhere.test', 'DNS:elsewhere.test', [-1, 90]),
    { ...leaf('self-signed', 'self-signed.lab.test', 'DNS:self-signed.lab.test', [-1, 90]), isSelfSigned: true },
  ];
  // one after another: the authority keeps its serial number in a file
  for (const one of wanted) await sign(directory, one);
}

function goodNames(): string {
  const addresses = named.flatMap((service) => Object.values(serviceAddresses(service)));
  return ['DNS:lab.test', 'DNS:*.lab.test', ...addresses.map((address) => `IP:${address}`)].join(',');
}

/** Creates a key and a request for it, whose subject each certificate replaces. */
async function makeRequest(directory: string, name: string): Promise<void> {
  const at = (file: string) => join(directory, file);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at(`${name}.key`)];
  const subject = ['-subj', `/CN=${name}`];
  await run('openssl', ['req', '-new', '-config', at('openssl.conf'), ...key, ...subject, '-out', at(`${name}.csr`)]);
}

interface Wanted {
  readonly name: string;
  readonly key: string;
  readonly subject: string;
  readonly extensions: readonly string[];
  /** First and last day of validity, in days from now. */
  readonly days: readonly [number, number];
  readonly signer: string;
  readonly isSelfSigned?: boolean;
}

async function sign(directory: string, wanted: Wanted): Promise<void> {
  const { name, key, subject, extensions, days, signer, isSelfSigned = false } = wanted;
  const at = (file: string) => join(directory, file);
  writeFileSync(at('extensions'), `${extensions.join('\n')}\n`);
  const [start, end] = days.map(dateText);
  const by = isSelfSigned ? ['-selfsign', '-keyfile', at(`${key}.key`)] : [];
  const period = ['-startdate', start ?? '', '-enddate', end ?? ''];
  const files = ['-in', at(`${key}.csr`), '-extfile', at('extensions'), '-out', at(`${name}.pem`)];
  const authority = ['-batch', '-notext', '-config', at('openssl.conf'), '-name', signer];
  await run('openssl', ['ca', ...authority, ...by, '-subj', `/CN=${subject}`, ...period, ...files]);
  const isChained = signer === 'intermediate' && !isSelfSigned;
  if (isChained)
    writeFileSync(
      at(`${name}.pem`),
      readFileSync(at(`${name}.pem`), 'utf8') + readFileSync(at('intermediate.pem'), 'utf8'),
    );
}

/** YYYYMMDDHHMMSSZ, `days` from now. */
function dateText(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
}

function configuration(directory: string): string {
  const authority = (name: string) => `
[${name}]
database = ${directory}/${name}.index
serial = ${directory}/${name}.serial
new_certs_dir = ${directory}
certificate = ${directory}/${name}.pem
private_key = ${directory}/${name}.key
default_md = sha256
policy = any
unique_subject = no
`;
  return `${authority('ca')}${authority('intermediate')}
[any]
commonName = supplied
[req]
distinguished_name = subject
[subject]
`;
}

/** Writes an OCSP answer of the intermediate authority that a certificate is good. @returns its file, DER */
export async function writeStaple({ cert }: CertificateFiles): Promise<string> {
  const at = (file: string) => join(dirname(cert), file);
  const authority = [
    '-CA',
    at('intermediate.pem'),
    '-rsigner',
    at('intermediate.pem'),
    '-rkey',
    at('intermediate.key'),
  ];
  const question = ['-issuer', at('intermediate.pem'), '-cert', cert];
  const answer = ['-ndays', '7', '-respout', at('staple.der')];
  await run('openssl', ['ocsp', '-index', at('intermediate.index'), ...authority, ...question, ...answer]);
  return at('staple.der');
}
