import { Type } from 'typebox';
import { variantNames } from './tokens.js';

const variants = Object.entries(variantNames)
  .map(([kind, names]) => `${kind}: ${names.join(', ')}`)
  .join('; ');

const Slot = Type.Object(
  {
    kind: Type.Enum([...Object.keys(variantNames), 'literal'], { type: 'string' }),
    variant: Type.Optional(
      Type.String({ description: `Required except for a literal, where it is ignored. ${variants}.` }),
    ),
    literal: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: 'Required for a literal; ignored otherwise.' }),
    ),
  },
  { additionalProperties: false },
);

/** Parts that are combined into domains. API specification 2.7. */
export const DomainComboSpecSchema = Type.Object(
  {
    slots: Type.Array(Slot, { minItems: 1, maxItems: 8, description: 'Parts of the label, in their order.' }),
    tlds: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Top-level domains or public suffixes, in Unicode or Punycode, without a dot at the edges.',
    }),
    exclude: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Tokens that contain any of these characters are dropped; case is ignored.',
      }),
    ),
    cap: Type.Optional(
      Type.Integer({ description: 'Greatest number of domains: 1000 if absent, zero or negative; at most 5000.' }),
    ),
  },
  { additionalProperties: false, title: 'DomainComboSpec' },
);

/** Size of a set of combinations, and its beginning. API specification 2.7. */
export const DomainComboPreviewSchema = Type.Object(
  {
    total: Type.Integer({ description: 'Combinations before the cap; at most 2^53-1, see `total_exact`.' }),
    total_exact: Type.String({
      pattern: '^[0-9]+$',
      example: '20',
      description: 'The same number without an upper limit, as a decimal string.',
    }),
    effective: Type.Integer({ minimum: 0, maximum: 5000, description: 'The smaller of `total` and the cap.' }),
    capped: Type.Boolean({ description: 'True if `total` is greater than the cap.' }),
    sample: Type.Array(Type.String(), {
      maxItems: 10,
      description:
        'The first domains in generation order, in Punycode: the last slot changes faster than the ones before it, the top-level domain fastest. Combinations that are not valid domains are counted in `total` and omitted here.',
    }),
  },
  { additionalProperties: false, title: 'DomainComboPreview' },
);
