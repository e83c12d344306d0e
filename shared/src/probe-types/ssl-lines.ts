import { alignedRows } from './cells.js';
import type { SslResult } from './ssl-result.js';

/** Members of a result that the lines show. */
export const sslLineMembers: readonly (keyof SslResult)[] = [
  'grade',
  'grade_ignoring_trust',
  'domain',
  'resolved_ip',
  'ip_version',
  'port',
  'valid',
  'days_until_expiry',
  'subject',
  'issuer',
  'not_before',
  'not_after',
  'san_domains',
  'protocol',
  'cipher_suite',
  'tls_versions',
  'weak_cipher_suites',
  'ocsp_status',
  'ocsp_staple',
  'sct_count',
  'warnings',
  'findings',
  'chain',
];

/** Names of a certificate that are listed; the result has more. */
const MAX_NAMES = 20;

/** An audit as a person reads it: the grade, what it is for, what is wrong, the versions, the certificates. */
export function sslLines(result: SslResult): string[] {
  if (result.tls_versions.length === 0) return [];
  const blocks = [
    gradeLines(result),
    leafLines(result),
    findingLines(result),
    versionLines(result),
    ...result.chain.map(certificateLines),
  ];
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function gradeLines({ grade, grade_ignoring_trust: otherwise, findings }: SslResult): string[] {
  if (grade === null) return ['Grade -   the server presented no certificate'];
  const isForTrust = otherwise !== null && otherwise !== grade;
  const reasons = findings.filter(({ cap }) => cap === grade).map(({ code }) => code);
  return [
    `Grade ${grade}${reasons.length === 0 ? '' : `   because of ${reasons.join(', ')}`}`,
    ...(isForTrust ? [`      ${otherwise}   if the certificate were trusted, current and for the name`] : []),
  ];
}

function leafLines(result: SslResult): string[] {
  const names = result.san_domains.slice(0, MAX_NAMES).join(', ');
  const more = result.san_domains.length > MAX_NAMES ? `, and ${result.san_domains.length - MAX_NAMES} more` : '';
  const days = result.days_until_expiry ?? 0;
  const left = days < 0 ? `${-days} days ago` : `${days} days left`;
  const rows = [
    ['Server', `${result.domain} at ${result.resolved_ip} port ${result.port}`],
    ...(result.not_after === null ? [] : [['Expires', `${result.not_after.slice(0, 10)}, ${left}`]]),
    ...(result.ends_first === undefined
      ? []
      : [['Ends first', `${result.ends_first.not_after.slice(0, 10)}, ${result.ends_first.subject}`]]),
    ...(result.subject === null ? [] : [['Valid', validText(result.valid)]]),
    ...(names === '' ? [] : [['Names', names + more]]),
    ...(result.issuer === null ? [] : [['Issuer', result.issuer]]),
    ...(result.protocol === null
      ? []
      : [['Speaks', `${result.protocol} with ${result.cipher_suite ?? 'an unknown cipher'}`]]),
    ...(result.ocsp_status === null ? [] : [['Staple', stapleText(result)]]),
    ...(result.sct_count === null ? [] : [['Timestamps', String(result.sct_count)]]),
  ];
  return alignedRows(rows);
}

function validText(valid: boolean | null): string {
  if (valid === null) return 'not known';
  return valid ? 'yes: chain, dates and name are valid' : 'no';
}

function stapleText({ ocsp_status: status, ocsp_staple: staple }: SslResult): string {
  if (staple === null) return String(status);
  if (staple.error !== null) return `${status}: ${staple.error}`;
  return staple.next_update === null ? String(status) : `${status}, valid until ${staple.next_update}`;
}

function findingLines({ findings }: SslResult): string[] {
  if (findings.length === 0) return [];
  return ['Found', ...alignedRows(findings.map(({ code, cap, message }) => [`  ${cap ?? '-'}`, code, message]))];
}

function versionLines({ tls_versions: versions, weak_cipher_suites: weak }: SslResult): string[] {
  const rows = versions.map((version) => [
    `  ${version.version}`,
    version.supported === null ? '?' : version.supported ? 'yes' : 'no',
    version.cipher_suite ?? (version.supported ? '' : (version.reason ?? '')),
    version.key_exchange ?? '',
  ]);
  return ['Versions', ...alignedRows(rows), ...(weak.length === 0 ? [] : [`  weak ciphers: ${weak.join(', ')}`])];
}

function certificateLines(certificate: SslResult['chain'][number], index: number): string[] {
  const { subject, issuer, not_before, not_after, signature_algorithm, serial_number, fingerprint_sha256 } =
    certificate;
  const rows = [
    ['issuer', issuer],
    ['valid', `${not_before} to ${not_after}`],
    [
      'key',
      `${certificate.public_key_algorithm} ${certificate.public_key_bits ?? ''}, signed with ${signature_algorithm}`,
    ],
    ['serial', serial_number],
    ['SHA-256', fingerprint_sha256],
  ];
  return [`Certificate ${index + 1}  ${subject}`, ...alignedRows(rows).map((line) => `  ${line}`)];
}
