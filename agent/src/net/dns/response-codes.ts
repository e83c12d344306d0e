import { ProbeFailure } from '../../probes/failure.js';

/** Response codes by number, the eight upper bits of EDNS included (RFC 6895 section 2.3). */
const names: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
  11: 'DSOTYPENI',
  16: 'BADVERS',
  17: 'BADKEY',
  18: 'BADTIME',
  19: 'BADMODE',
  20: 'BADNAME',
  21: 'BADALG',
  22: 'BADTRUNC',
  23: 'BADCOOKIE',
};

/** Extended DNS errors (RFC 8914 section 5.2 and the IANA registry). */
const extendedErrors: readonly string[] = [
  'Other',
  'Unsupported DNSKEY Algorithm',
  'Unsupported DS Digest Type',
  'Stale Answer',
  'Forged Answer',
  'DNSSEC Indeterminate',
  'DNSSEC Bogus',
  'Signature Expired',
  'Signature Not Yet Valid',
  'DNSKEY Missing',
  'RRSIGs Missing',
  'No Zone Key Bit Set',
  'NSEC Missing',
  'Cached Error',
  'Not Ready',
  'Blocked',
  'Censored',
  'Filtered',
  'Prohibited',
  'Stale NXDomain Answer',
  'Not Authoritative',
  'Not Supported',
  'No Reachable Authority',
  'Network Error',
  'Invalid Data',
  'Signature Expired before Valid',
  'Too Early',
  'Unsupported NSEC3 Iterations Value',
  'Unable to conform to policy',
  'Synthesized',
];

/** Reason of a server for its response: a code of RFC 8914 and the server's own text, possibly empty. */
export interface ExtendedError {
  readonly code: number;
  readonly text: string;
}

/** The mnemonic, or RCODE and the number. */
export function responseCodeName(code: number): string {
  return names[code] ?? `RCODE${code}`;
}

/** `: DNSSEC Bogus (signature expired)`, to end a sentence with; nothing where the server gave no reason. */
export function describeReasons({
  extendedErrors: reasons,
}: {
  readonly extendedErrors: readonly ExtendedError[];
}): string {
  return reasons.length === 0 ? '' : `: ${reasons.map(describeExtendedError).join(', ')}`;
}

function describeExtendedError({ code, text }: ExtendedError): string {
  const purpose = extendedErrors[code] ?? `extended error ${code}`;
  return text === '' ? purpose : `${purpose} (${text})`;
}

/** Failure that a response code stands for; null for NOERROR (RFC 1035 section 4.1.1, RFC 6895). */
export function rcodeFailure(
  { rcode, extendedErrors: reasons }: { readonly rcode: string; readonly extendedErrors: readonly ExtendedError[] },
  name: string,
): ProbeFailure | null {
  const why = describeReasons({ extendedErrors: reasons });
  switch (rcode) {
    case 'NOERROR':
      return null;
    case 'NXDOMAIN':
      return new ProbeFailure('dns_nxdomain', `"${name}" does not exist (NXDOMAIN)${why}`);
    case 'SERVFAIL':
      return new ProbeFailure('dns_servfail', `the resolver failed on "${name}" (SERVFAIL)${why}`);
    case 'REFUSED':
      return new ProbeFailure('dns_refused', `the resolver refused the query for "${name}" (REFUSED)${why}`);
    default:
      return new ProbeFailure('dns_error', `the resolver responded with ${rcode} for "${name}"${why}`);
  }
}
