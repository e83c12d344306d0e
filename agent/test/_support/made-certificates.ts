import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';

/** Properties of a test's certificate; the others are valid. */
export interface CertificateWishes {
  readonly subject?: string;
  /** `ec:prime256v1`, `rsa:1024`, `ed25519`. */
  readonly key?: string;
  /** Extensions as openssl's configuration has them. */
  readonly extensions?: readonly string[];
  readonly days?: number;
  readonly digest?: string;
  /** Certificate whose key this one has, too; default: a new key. */
  readonly sameKeyAs?: MadeCertificate;
}

/** A certificate and its key, as PEM and as the files they are in. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const leafExtensions = ['subjectAltName=DNS:site.example.com,IP:127.0.0.1', 'extendedKeyUsage=serverAuth'];
const authorityExtensions = ['basicConstraints=critical,CA:true', 'keyUsage=keyCertSign,cRLSign,digitalSignature'];

/** Creates certificates with openssl in a directory of the test. */
export class CertificateMaker {
  readonly root: MadeCertificate;
  readonly intermediate: MadeCertificate;
  readonly #directory: string;
  #made = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.root = this.issueAuthority('/CN=Test Root', null);
    this.intermediate = this.issueAuthority('/CN=Test Intermediate', this.root);
  }

  /** Signed by the intermediate unless `issuer` says otherwise; null signs it by itself. */
  issue(wishes: CertificateWishes = {}, issuer: MadeCertificate | null = this.intermediate): MadeCertificate {
    const {
      subject = '/CN=site.example.com',
      key = 'ec:prime256v1',
      extensions = leafExtensions,
      days = 60,
      digest = 'sha256',
      sameKeyAs,
    } = wishes;
    const name = `certificate-${this.#made++}`;
    const [newKeyFile, certFile, configFile] = ['key', 'pem', 'cnf'].map((ending) =>
      join(this.#directory, `${name}.${ending}`),
    ) as [string, string, string];
    const keyFile = sameKeyAs?.keyFile ?? newKeyFile;
    const lines = ['[req]', 'distinguished_name=names', 'x509_extensions=own', '[names]', '[own]', ...extensions];
    writeFileSync(configFile, `${lines.join('\n')}\n`);
    const signer = issuer === null ? [] : ['-CA', issuer.certFile, '-CAkey', issuer.keyFile];
    const serial = `0x${(1000 + this.#made).toString(16)}`;
    const words = ['-subj', subject, '-days', String(days), '-set_serial', serial, `-${digest}`, ...signer];
    const keyWords = sameKeyAs ? ['-key', keyFile] : ['-nodes', '-newkey', ...newKey(key), '-keyout', keyFile];
    openssl('req', '-x509', ...keyWords, '-config', configFile, '-out', certFile, ...words);
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), certFile, keyFile };
  }

  /** An authority that may sign; null signs it by itself. */
  issueAuthority(subject: string, issuer: MadeCertificate | null, wishes: CertificateWishes = {}): MadeCertificate {
    return this.issue({ subject, extensions: authorityExtensions, days: 3650, ...wishes }, issuer);
  }

  /** An OCSP response about a certificate of the intermediate, DER, by the responder `signer`. */
  staple(
    about: MadeCertificate,
    options: { status?: 'good' | 'revoked' | 'unknown'; signer?: MadeCertificate; issuer?: MadeCertificate } = {},
  ): Buffer {
    const { status = 'good', signer = this.intermediate, issuer = this.intermediate } = options;
    const file = join(this.#directory, `staple-${this.#made++}`);
    const serial = openssl('x509', '-in', about.certFile, '-noout', '-serial').trim().replace('serial=', '');
    const revoked = status === 'revoked' ? ['R', '991231235959Z', '260101000000Z'] : ['V', '991231235959Z', ''];
    writeFileSync(
      `${file}.index`,
      status === 'unknown' ? '' : `${[...revoked, serial, 'unknown', '/CN=x'].join('\t')}\n`,
    );
    const parties = [
      '-CA',
      issuer.certFile,
      '-issuer',
      issuer.certFile,
      '-rsigner',
      signer.certFile,
      '-rkey',
      signer.keyFile,
    ];
    const answer = ['-index', `${file}.index`, '-ndays', '7', '-noverify', '-respout', `${file}.der`];
    openssl('ocsp', ...parties, ...answer, '-cert', about.certFile);
    return readFileSync(`${file}.der`);
  }
}

/** Words of `-newkey` for a kind of key. */
function newKey(kind: string): string[] {
  return kind.startsWith('ec:') ? ['ec', '-pkeyopt', `ec_paramgen_curve:${kind.slice(3)}`] : [kind];
}

/** Runs openssl and returns what it prints. @throws MissingProgramsError where a test did not ask for it before */
export function openssl(...words: readonly string[]): string {
  demand('openssl');
  return execFileSync('openssl', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
