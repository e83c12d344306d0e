import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { addressTypes, type RiskLevel, riskLevels, signals } from './signals.js';

const closed = { additionalProperties: false } as const;
const text = (description: string) => nullable(Type.String(), description);
const signal = Type.Enum([...signals], { type: 'string' });
const score = Type.Integer({ minimum: 0, maximum: 100, description: 'Higher is more suspicious.' });

/** Reputation of an address or domain in the API (API specification 2.7). */
export const ReputationSchema = Type.Object(
  {
    domain: text('The domain in A-labels; null for an address.'),
    unicode_domain: text('The domain in Unicode; null for an address.'),
    ip: Type.String({ description: 'The address in canonical form; of a domain the one with the highest score.' }),
    score,
    risk_level: Type.Enum(Object.keys(riskLevels) as RiskLevel[], {
      type: 'string',
      description: 'low below 30, medium below 70, else high.',
    }),
    types: Type.Array(Type.Enum([...addressTypes], { type: 'string' }), {
      description: '`vpn` and `proxy` never occur together; `residential` only where nothing else was found.',
    }),
    evidence: Type.Array(
      Type.Object(
        {
          signal,
          description: Type.String({ description: 'Names the list, its date and the entry.' }),
          weight: Type.Integer({ description: 'Part of the score.' }),
        },
        closed,
      ),
      { description: 'The weights add up to the score, which is 100 at most.' },
    ),
    country: text('ISO 3166-1 alpha-2.'),
    city: text('In English.'),
    asn: nullable(Type.String(), 'Network that announces the address, such as AS64496.'),
    isp: text('Provider that connects the holder of the address.'),
    coverage: Type.Array(signal, { description: 'Signals for which a current list exists.' }),
    blocklists: Type.Array(
      Type.Object(
        {
          zone: Type.String(),
          listed: nullable(
            Type.Boolean(),
            'Null without a valid response of the zone, or without a node that could ask.',
          ),
          code: text('Return code of a listing.'),
        },
        closed,
      ),
      { description: 'DNS blocklists of the operator. They count in the score only where the operator mapped a code.' },
    ),
    addresses: Type.Array(Type.Object({ ip: Type.String(), score }, closed), {
      description: 'Addresses that were judged: of a domain at most 8.',
    }),
    note: text('Says, in the language of the caller, that nothing was found while lists are missing; else null.'),
    sources: Type.Array(Type.Object({ name: Type.String(), built_at: Type.String({ format: 'date-time' }) }, closed), {
      description: 'Current lists that this rests on.',
    }),
    attribution: Type.Array(Type.String(), { description: 'Lines that the licences of lists and databases ask for.' }),
  },
  { additionalProperties: false, title: 'Reputation' },
);

/** Reputation of an address or domain, as the API returns it. */
export type ReputationAnswer = Static<typeof ReputationSchema>;

/** Example for the API reference. */
export const reputationExample = {
  domain: null,
  unicode_domain: null,
  ip: '192.0.2.1',
  score: 65,
  risk_level: 'medium',
  types: ['vpn', 'hosting'],
  evidence: [
    { signal: 'vpn', description: 'list vpn-ranges of 2026-11-25: 192.0.2.0/24', weight: 60 },
    { signal: 'hosting', description: 'list data-centers of 2026-11-25: AS64496', weight: 5 },
  ],
  country: 'NL',
  city: 'Amsterdam',
  asn: 'AS64496',
  isp: 'Example Hosting',
  coverage: ['tor_exit', 'vpn', 'hosting'],
  blocklists: [{ zone: 'bl.example.org', listed: false, code: null }],
  addresses: [{ ip: '192.0.2.1', score: 65 }],
  note: null,
  sources: [
    { name: 'data-centers', built_at: '2026-11-25T03:00:00.000Z' },
    { name: 'tor-exits', built_at: '2026-11-25T09:00:00.000Z' },
    { name: 'vpn-ranges', built_at: '2026-11-25T03:00:00.000Z' },
  ],
  attribution: ['Ranges by Example, CC BY 4.0'],
};
