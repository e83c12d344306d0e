import type { Judge } from './verdict.js';

/** Judges of mail: MX records (RFC 2181 section 10.3, RFC 5321 section 5.1), SPF (RFC 7208) and DMARC (RFC 7489). */
export const mailJudges = {
  mx_is_cname: ({ mail }) => {
    if (mail === null) return 'unknown';
    const aliases = mail.filter(({ isAlias }) => isAlias);
    return aliases.length === 0 ? 'ok' : { servers: aliases.map(({ name }) => name) };
  },
  mx_missing_address: ({ mail }) => {
    if (mail === null) return 'unknown';
    const missing = mail.filter(({ hasAddress }) => hasAddress === false);
    if (missing.length > 0) return { servers: missing.map(({ name }) => name) };
    return mail.some(({ hasAddress }) => hasAddress === null) ? 'unknown' : 'ok';
  },
  no_spf: ({ spf, zone }) => {
    if (spf === null) return 'unknown';
    return spf.length === 0 ? { name: zone } : 'ok';
  },
  several_spf: ({ spf }) => {
    if (spf === null) return 'unknown';
    return spf.length > 1 ? { records: [...spf] } : 'ok';
  },
  no_dmarc: ({ hasDmarc, zone }) => {
    if (hasDmarc === null) return 'unknown';
    return hasDmarc ? 'ok' : { name: `_dmarc.${zone}` };
  },
} satisfies Record<string, Judge>;
