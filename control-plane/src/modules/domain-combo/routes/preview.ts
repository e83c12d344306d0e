import { Type } from 'typebox';
import { defineRoute, type OwnLimit } from '../../../http/route.js';
import { previewOf } from '../preview.js';
import { type DomainComboSpec, parseSpec, readSpec } from '../read-spec.js';
import { DomainComboPreviewSchema, DomainComboSpecSchema } from '../schema.js';

const limit: OwnLimit = { name: 'domain-combo', limit: 60, per: 'minute', from: 'address' };

const specExample = {
  slots: [
    { kind: 'letter', variant: 'vowel' },
    { kind: 'literal', literal: 'dns' },
  ],
  tlds: ['com', 'net'],
  cap: 100,
};
const example = {
  total: 10,
  total_exact: '10',
  effective: 10,
  capped: false,
  sample: [
    'adns.com',
    'adns.net',
    'edns.com',
    'edns.net',
    'idns.com',
    'idns.net',
    'odns.com',
    'odns.net',
    'udns.com',
    'udns.net',
  ],
};

const shared = {
  tag: 'Domain combination',
  auth: { kind: 'none' },
  limit,
  replies: { 200: DomainComboPreviewSchema },
  replyExample: example,
  errors: ['VALIDATION_FAILED'],
} as const;

const read = {
  ...shared,
  method: 'GET',
  query: Type.Object({
    spec: Type.String({
      maxLength: 8192,
      description: 'A DomainComboSpec as URL-encoded JSON.',
      example: JSON.stringify(specExample),
    }),
  }),
  handle: ({ query, signal }: { readonly query: { readonly spec: string }; readonly signal: AbortSignal }) =>
    preview(parseSpec(query.spec), signal, 'spec.'),
} as const;

export const getDomainComboPreview = defineRoute({
  ...read,
  operationId: 'getDomainComboPreview',
  path: '/v1/domain-combo/preview',
  summary: 'Preview combined domains',
  description:
    'Counts the domains that a specification combines, and lists the first of them. Nothing is looked up or stored.',
});

/** GET /domain-combo/preview: the path of API specification 4, without a version. */
export const getUnversionedDomainComboPreview = defineRoute({
  ...read,
  operationId: 'getUnversionedDomainComboPreview',
  path: '/domain-combo/preview',
  summary: 'Preview combined domains, path without a version',
  description: 'The same as `GET /v1/domain-combo/preview`.',
});

/** POST /v1/domain-combo/preview: for specifications that are too long for a URL. */
export const postDomainComboPreview = defineRoute({
  ...shared,
  method: 'POST',
  operationId: 'postDomainComboPreview',
  path: '/v1/domain-combo/preview',
  summary: 'Preview combined domains from a body',
  description: 'The same as `GET /v1/domain-combo/preview`, with the specification as the body.',
  body: DomainComboSpecSchema,
  bodyExample: specExample,
  handle: ({ body, signal }) => preview(body, signal),
});

async function preview(spec: DomainComboSpec, signal: AbortSignal, prefix: '' | 'spec.' = '') {
  const combination = await readSpec(spec, signal, prefix);
  const { total, effective, isCapped, sample } = await previewOf(combination, spec.cap, signal);
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  return {
    status: 200,
    data: {
      total: Number(total > largest ? largest : total),
      total_exact: String(total),
      effective,
      capped: isCapped,
      sample: [...sample],
    },
  };
}
