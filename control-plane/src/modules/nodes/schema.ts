import { placePatterns } from '@vantage/shared/complaints.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { capabilities } from '@vantage/shared/probe-types/definition.js';
import { selfTestNames, selfTestStatuses } from '@vantage/shared/self-test.js';
import { Type } from 'typebox';
import { nodeStatuses } from './node.js';
import { locationSources } from './place/place.js';

export const NodeIdSchema = Type.String({ pattern: idPattern(idPrefixes.node), description: 'Node id.' });

export const exampleNode = {
  id: 'n_1CGRtJ1RH3rs4vbBJ5pyj9',
  name: 'frankfurt-1',
  country: 'DE',
  province: 'DE-HE',
  region: 'Western Europe',
  city: 'Frankfurt am Main',
  lat: 50.1,
  lon: 8.7,
  asn: 3320,
  isp: 'Deutsche Telekom AG',
  provider: null,
  status: 'online',
  tags: ['residential'],
  capabilities: ['icmp', 'icmp_echo'],
  since: '2026-01-04T09:30:00.000Z',
  uptime_percent_30d: 99.87,
  location_source: 'derived',
};

const SelfTestSchema = Type.Object(
  {
    finished_at: Type.String({ format: 'date-time', description: 'Time of the self-test by the clock of the node.' }),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...selfTestNames], { type: 'string' }),
          status: Type.Enum([...selfTestStatuses], {
            type: 'string',
            description: 'unknown: the check was inconclusive.',
          }),
          detail: Type.String({ description: 'Explanation, one sentence.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'NodeSelfTest',
    description: 'Newest self-test of the node; shown to its owner and to admins.',
  },
);

const place = {
  country: nullable(Type.String(), 'ISO 3166-1 alpha-2.'),
  province: nullable(Type.String(), 'ISO 3166-2.'),
  city: nullable(Type.String(), 'City.'),
  asn: nullable(Type.Integer(), 'Autonomous system number.'),
  provider: nullable(Type.String(), 'Hosting provider.'),
};

const DeclaredPlaceSchema = Type.Object(
  { ...place, region: nullable(Type.String(), 'UN M49 subregion.') },
  {
    additionalProperties: false,
    title: 'DeclaredPlace',
    description: 'Location that the operator declared, by the agent or with the enrollment token; shown to admins.',
  },
);

const DerivedPlaceSchema = Type.Object(
  { ...place, isp: nullable(Type.String(), 'Name of the autonomous system.') },
  { additionalProperties: false, title: 'DerivedPlace' },
);

/** A node as everyone may see it (API specification 2.10): without its address, owner and version. */
export const NodeSchema = Type.Object(
  {
    id: NodeIdSchema,
    name: Type.String(),
    country: nullable(Type.String(), 'ISO 3166-1 alpha-2.'),
    province: nullable(Type.String(), 'ISO 3166-2.'),
    region: nullable(Type.String(), 'UN M49 subregion of the country.'),
    city: nullable(Type.String(), 'City.'),
    lat: nullable(Type.Number(), 'Latitude, one decimal.'),
    lon: nullable(Type.Number(), 'Longitude, one decimal.'),
    asn: nullable(Type.Integer(), 'Autonomous system number.'),
    isp: nullable(Type.String(), 'Name of the autonomous system.'),
    provider: nullable(Type.String(), 'Hosting provider.'),
    status: Type.Enum([...nodeStatuses], { type: 'string' }),
    tags: Type.Array(Type.String()),
    capabilities: Type.Array(
      Type.String({ description: 'icmp: may run traceroute; icmp_echo: may run ping; browser: may load pages.' }),
    ),
    since: Type.String({ format: 'date-time', description: 'Time of enrollment.' }),
    uptime_percent_30d: nullable(
      Type.Number(),
      'Share of the last 30 days, or of the time since enrollment, with an open link, in percent; measured hourly, null before the first measurement.',
    ),
    location_source: Type.Enum([...locationSources], {
      type: 'string',
      description:
        'Source of the country: declared by its operator, derived from its address, or declared and confirmed by an admin.',
    }),
    self_test: Type.Optional(SelfTestSchema),
    geo_mismatch: Type.Optional(
      Type.Boolean({
        description:
          'True if its address contradicts the declared country, province or network, and no admin has confirmed them; shown to admins.',
      }),
    ),
    declared: Type.Optional(DeclaredPlaceSchema),
    derived: Type.Optional(
      nullable(DerivedPlaceSchema, 'Location that is derived from its address; null: unknown. Shown to admins.'),
    ),
    ban_reason: Type.Optional(
      Type.String({
        description: 'Reason of the ban or quarantine; shown to admins and, under /v1/account/nodes, to the owner.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Node', examples: [exampleNode] },
);

const list = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  item: S,
  description: string,
) => Type.Optional(Type.Array(item, { minItems: 1, maxItems: 50, uniqueItems: true, description }));

/** A country in a request. */
export const CountryCode = Type.String({
  pattern: placePatterns.country,
  description: 'ISO 3166-1 alpha-2.',
  example: 'DE',
});
const ProvinceCode = Type.String({ pattern: placePatterns.province, example: 'DE-BY' });
const Asn = Type.Integer({ minimum: 1, maximum: 4294967295 });
const ShortText = Type.String({ minLength: 1, maxLength: 64 });
/** A label of a node. */
export const Tag = Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,31}$', example: 'dc1' });

/**
 * Selection of nodes (API specification 2.2). A node must match every filter; a filter with several values matches if one of
 * them does.
 */
export const NodeSelectionSchema = Type.Object(
  {
    node_ids: list(NodeIdSchema, 'Only these nodes.'),
    countries: list(CountryCode, 'ISO 3166-1 alpha-2.'),
    regions: list(ShortText, 'UN M49 subregions, for example Western Europe.'),
    provinces: list(ProvinceCode, 'ISO 3166-2.'),
    cities: list(ShortText, 'City names.'),
    asns: list(Asn, 'Autonomous system numbers.'),
    providers: list(ShortText, 'Hosting providers.'),
    tags: list(Tag, 'Nodes with any of these tags.'),
    owned: Type.Optional(Type.Boolean({ description: 'Only nodes of your own account.' })),
    exclude_node_ids: list(NodeIdSchema, 'Not these nodes.'),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 3,
        description: 'Greatest number of nodes. If fewer match, all of them are used.',
      }),
    ),
    spread: Type.Optional(
      Type.Enum(['country', 'asn', 'region', 'none'], {
        type: 'string',
        default: 'asn',
        description: 'Property in which the chosen nodes should differ.',
      }),
    ),
  },
  { additionalProperties: false, title: 'NodeSelection' },
);

/** Schemas of nodes that other modules use. */
export const nodeSchemas = { id: NodeIdSchema, node: NodeSchema, selection: NodeSelectionSchema } as const;

/** An enrollment token in a list, without the secret (API specification 2.6). */
export const EnrollmentTokenSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.enrollmentToken) }),
    label: nullable(Type.String(), 'Purpose of the token.'),
    status: Type.Enum(['active', 'used', 'expired'], { type: 'string' }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
    preview: Type.String({ description: 'Masked: ent_***xxxx.' }),
    consumed_node_id: nullable(Type.String(), 'Node that used the token.'),
  },
  { additionalProperties: false, title: 'EnrollmentToken' },
);

/** Request to create an enrollment token; all fields are optional (API specification 2.6). */
export const EnrollmentTokenCreateSchema = Type.Object(
  {
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Purpose of the token.' })),
    country_code: Type.Optional({ ...CountryCode, description: 'Country of the future node.' }),
    declared_province: Type.Optional({ ...ProvinceCode, description: 'ISO 3166-2 code in that country.' }),
    sponsor_user_id: Type.Optional(Type.String({ maxLength: 40, description: 'Reserved: only your own user id.' })),
    expires_in_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 168, default: 24, description: 'Validity in hours.' }),
    ),
  },
  { additionalProperties: false },
);

/** Response to the creation of an enrollment token, with the secret. */
export const EnrollmentTokenCreatedSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.enrollmentToken) }),
    token: Type.String({ description: 'The secret, shown only once.' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);

const Declared = Type.Object(
  {
    country: Type.Optional(CountryCode),
    province: Type.Optional(ProvinceCode),
    region: Type.Optional(ShortText),
    city: Type.Optional(ShortText),
    asn: Type.Optional(Asn),
    provider: Type.Optional(ShortText),
    tags: Type.Optional(Type.Array(Tag, { maxItems: 16 })),
  },
  { additionalProperties: false },
);

/** Enrollment request of an agent; the token is the credential. */
export const EnrollRequestSchema = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 128 }),
    public_key: Type.String({ maxLength: 64, description: 'Ed25519 public key, raw, base64.' }),
    proof: Type.String({
      maxLength: 128,
      description:
        'Signature over a fixed purpose string, the audience, the SHA-256 of the token and the raw public key, each after its length; base64.',
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    hostname: Type.String({ minLength: 1, maxLength: 253 }),
    version: Type.String({ minLength: 1, maxLength: 32 }),
    os: Type.String({ minLength: 1, maxLength: 64 }),
    arch: Type.String({ minLength: 1, maxLength: 32 }),
    capabilities: Type.Array(Type.Enum([...capabilities], { type: 'string' }), { maxItems: 32 }),
    declared: Type.Optional(Declared),
  },
  { additionalProperties: false },
);

/** Settings that an enrolled agent needs to connect. */
export const EnrollReplySchema = Type.Object(
  {
    node_id: NodeIdSchema,
    control_urls: Type.Array(Type.String(), { minItems: 1 }),
    server_public_key: Type.String({ description: 'Ed25519 public key of the control plane, raw, base64: pin it.' }),
    audience: Type.String({ description: 'Name of the control plane that both sides sign.' }),
    config: Type.Object({ heartbeat_ms: Type.Integer() }, { additionalProperties: false }),
  },
  { additionalProperties: false },
);
