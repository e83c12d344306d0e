import type { Judge } from './verdict.js';

/** Judges of DNSSEC (RFC 4035), CAA (RFC 8659) and wildcards. */
export const securityJudges = {
  dnssec_bogus: ({ ds, validation }) => {
    if (validation === null) return ds?.length === 0 ? 'ok' : 'unknown';
    const { rcode, isAuthenticated, uncheckedRcode } = validation;
    const isBogus = rcode === 'SERVFAIL' && (uncheckedRcode === 'NOERROR' || uncheckedRcode === 'NXDOMAIN');
    if (isBogus) return { rcode, rcode_without_validation: uncheckedRcode };
    // a resolver that leaves a signed zone unauthenticated does not validate
    return isAuthenticated || ds?.length === 0 ? 'ok' : 'unknown';
  },
  ds_without_dnskey: ({ ds, keys }) => {
    if (ds?.length === 0) return 'ok';
    if (ds === null || keys === null) return 'unknown';
    const isMatched = ds.some(({ tag, algorithm }) =>
      keys.some((key) => key.tag === tag && key.algorithm === algorithm),
    );
    return isMatched ? 'ok' : { ds_key_tags: ds.map(({ tag }) => tag), dnskey_key_tags: keys.map(({ tag }) => tag) };
  },
  no_caa: ({ caaCount, zone }) => {
    if (caaCount === null) return 'unknown';
    return caaCount === 0 ? { name: zone } : 'ok';
  },
  wildcard: ({ wildcard, zone }) => {
    if (wildcard === null) return 'unknown';
    return wildcard.length === 0 ? 'ok' : { name: `*.${zone}`, values: [...wildcard] };
  },
} satisfies Record<string, Judge>;
