import { nullable } from '@vantage/shared/nullable.js';
import { registrableDomain } from '@vantage/shared/target-policy/registrable-domain.js';
import { type Static, Type } from 'typebox';
import type { Locale } from '../../../http/locale.js';
import { nodeLookup } from './lookup.js';
import { hostText, MAX_Q, readDomain, unicodeDomain } from './read-q.js';
import { thirdPartyFailed } from './third-party.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const text = (description: string) => nullable(Type.String(), description);

const Data = Type.Object(
  {
    domain: text('The registered domain.'),
    unicode_domain: text('The domain in Unicode.'),
    icp_number: text('Null without a filing.'),
    company: text('Holder of the filing.'),
    type: text('Nature of the holder, as the source writes it.'),
    license_type: text('Kind of the licence, as the source writes it.'),
    filed_at: nullable(Type.String({ format: 'date' }), 'Day of the filing or of its last review.'),
    inquiry_url: text('Page about the filing.'),
    source: text('Host of the source.'),
    note: text('Says that there is no filing, in the language of the caller; null with one.'),
  },
  { additionalProperties: false, title: 'IcpLookup' },
);

/** ICP filing of a domain, as the lookup returns it. */
export type IcpAnswer = Static<typeof Data>;

const notes: Readonly<Record<Locale, string>> = {
  en: 'The source has no ICP filing of this domain.',
  'zh-CN': '数据源中没有该域名的 ICP 备案。',
  'zh-TW': '資料來源中沒有該網域的 ICP 備案。',
};

const noFiling = { icp_number: null, company: null, type: null, license_type: null, filed_at: null, inquiry_url: null };

/** ICP filing of a domain (mainland China), by the source of the operator of the node. */
export const icp = nodeLookup({
  kind: 'icp',
  summary: 'Get the ICP filing of a domain',
  description:
    'Filing of a domain with the authorities of mainland China, by the source that the operator of a lookup node has configured. Without a filing every field of it is null, and `note` says so. Without a source the operation is unavailable. An answer is fresh for 24 hours, or 1 hour without a filing.',
  options: {},
  qDescription: `A domain without scheme, at most ${MAX_Q} characters.`,
  qExample: 'example.com',
  Data,
  version: 1,
  deadlineMs: 20_000,
  staleMs: 30 * DAY_MS,
  measures: 'icp',
  missingOnNodes: 'no node that runs lookups has a source of ICP filings: set VANTAGE_ICP_SOURCE of its agent',
  readQuestion({ q }, policy) {
    const host = { kind: 'name', name: registrableDomain(readDomain(q, policy).name) } as const;
    return { text: host.name, host, options: {} };
  },
  specOf: ({ host }) => ({ target: hostText(host), params: { timeout_ms: 15_000 } }),
  judge({ error, domain, filing, source }) {
    if (error !== null) return thirdPartyFailed(error.message);
    const unicode = domain === null ? null : unicodeDomain(domain);
    const data = { domain, unicode_domain: unicode, ...(filing ?? noFiling), source, note: null };
    return { isFailure: false, data, freshMs: filing === null ? HOUR_MS : DAY_MS };
  },
  localise: (data, locale) =>
    'icp_number' in data && data.icp_number === null ? { ...data, note: notes[locale] } : data,
});
