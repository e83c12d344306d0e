import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { capabilities } from '@vantage/shared/probe-types/definition.js';
import { selfTestNames, selfTestStatuses } from '@vantage/shared/self-test.js';
import { Type } from 'typebox';
import { nodeStatuses } from './node.js';
import { locationSources } from './place.js';

export const NodeIdSchema = Type.String({ pattern: idPattern(idPrefixes.node), description: 'Node id.' });

/** The one example of a node. */
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
    finished_at: Type.String({ format: 'date-time', description: 'By the node’s own clock.' }),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...selfTestNames], { type: 'string' }),
          status: Type.Enum([...selfTestStatuses], {
            type: 'string',
            description: 'unknown: nothing speaks for or against it.',
          }),
          detail: Type.String({ description: 'One sentence for people.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'What the node last found when it checked itself; shown to its owner and to admins.',
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
  { additionalProperties: false, description: 'What the node declares; shown to admins.' },
);

const DerivedPlaceSchema = Type.Object(
  { ...place, isp: nullable(Type.String(), 'Name of the autonomous system.') },
  { additionalProperties: false },
);

/** A node as anybody may see it (API specification 2.10): never its address, owner or version. */
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
    since: Type.String({ format: 'date-time', description: 'Enrolled at.' }),
    uptime_percent_30d: nullable(
      Type.Number(),
      'Share of the last 30 days with an open link, or since it was enrolled; measured hourly, null before.',
    ),
    location_source: Type.Enum([...locationSources], {
      type: 'string',
      description:
        'Whose word its country is: declared by its operator, derived from its address, or declared and confirmed by an admin.',
    }),
    self_test: Type.Optional(SelfTestSchema),
    geo_mismatch: Type.Optional(
      Type.Boolean({
        description:
          'Its address contradicts the country, province or network it declares, and nobody has confirmed them; shown to admins.',
      }),
    ),
    declared: Type.Optional(DeclaredPlaceSchema),
    derived: Type.Optional(nullable(DerivedPlaceSchema, 'What its address says; shown to admins.')),
    ban_reason: Type.Optional(Type.String({ description: 'Shown to admins.' })),
  },
  { additionalProperties: false, title: 'Node', examples: [exampleNode] },
);

const list = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  item: S,
  description: string,
) => Type.Optional(Type.Array(item, { minItems: 1, maxItems: 50, uniqueItems: true, description }));

const CountryCode = Type.String({ pattern: '^[A-Za-z]{2}$' });
const Asn = Type.Integer({ minimum: 1, maximum: 4294967295 });
const ShortText = Type.String({ minLength: 1, maxLength: 64 });
/** A label of a node. */
export const Tag = Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,31}$' });

/** Which nodes to use (API specification 2.2): fields AND together, values inside a field OR. */
export const NodeSelectionSchema = Type.Object(
  {
    node_ids: list(NodeIdSchema, 'Choose among these nodes.'),
    countries: list(CountryCode, 'ISO 3166-1 alpha-2.'),
    regions: list(ShortText, 'UN M49 subregions, for example Western Europe.'),
    provinces: list(Type.String({ pattern: '^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$' }), 'ISO 3166-2.'),
    cities: list(ShortText, 'City names.'),
    asns: list(Asn, 'Autonomous system numbers.'),
    providers: list(ShortText, 'Hosting providers.'),
    tags: list(Tag, 'Nodes with any of these tags.'),
    owned: Type.Optional(Type.Boolean({ description: 'Only nodes of your own account.' })),
    exclude_node_ids: list(NodeIdSchema, 'Never these nodes.'),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 3,
        description: 'How many at most; fewer matches run on what there is.',
      }),
    ),
    spread: Type.Optional(
      Type.Enum(['country', 'asn', 'region', 'none'], {
        type: 'string',
        default: 'asn',
        description: 'Prefer nodes that differ in this.',
      }),
    ),
  },
  { additionalProperties: false, title: 'NodeSelection' },
);

/** An enrollment token in a list: never the secret (API specification 2.6). */
export const EnrollmentTokenSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.enrollmentToken) }),
    label: nullable(Type.String(), 'What it is for.'),
    status: Type.Enum(['active', 'used', 'expired'], { type: 'string' }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
    preview: Type.String({ description: 'Masked: ent_***xxxx.' }),
    consumed_node_id: nullable(Type.String(), 'The node that used it.'),
  },
  { additionalProperties: false, title: 'EnrollmentToken' },
);

/** What an admin asks for when making an enrollment token; all optional (API specification 2.6). */
export const EnrollmentTokenCreateSchema = Type.Object(
  {
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'What it is for.' })),
    country_code: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'Country of the node to come.' })),
    declared_province: Type.Optional(
      Type.String({ pattern: '^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$', description: 'ISO 3166-2, of that country.' }),
    ),
    sponsor_user_id: Type.Optional(Type.String({ maxLength: 40, description: 'Reserved: only your own user id.' })),
    expires_in_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168, default: 24, description: 'Validity.' })),
  },
  { additionalProperties: false },
);

/** The answer to making one: the secret, this once. */
export const EnrollmentTokenCreatedSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.enrollmentToken) }),
    token: Type.String({ description: 'The secret, shown this once.' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);

const Declared = Type.Object(
  {
    country: Type.Optional(CountryCode),
    province: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$' })),
    region: Type.Optional(ShortText),
    city: Type.Optional(ShortText),
    asn: Type.Optional(Asn),
    provider: Type.Optional(ShortText),
    tags: Type.Optional(Type.Array(Tag, { maxItems: 16 })),
  },
  { additionalProperties: false },
);

/** What an agent sends to enroll; the token is the credential. */
export const EnrollRequestSchema = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 128 }),
    public_key: Type.String({ maxLength: 64, description: 'Ed25519 public key, raw, base64.' }),
    proof: Type.String({
      maxLength: 128,
      description: 'Signature over purpose, audience, SHA-256 of the token and the key, base64.',
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

/** What an enrolled agent needs to connect. */
export const EnrollReplySchema = Type.Object(
  {
    node_id: NodeIdSchema,
    control_urls: Type.Array(Type.String(), { minItems: 1 }),
    server_public_key: Type.String({ description: 'Ed25519 public key of the control plane, raw, base64: pin it.' }),
    audience: Type.String({ description: 'What both sides sign as the control plane’s name.' }),
    config: Type.Object({ heartbeat_ms: Type.Integer() }, { additionalProperties: false }),
  },
  { additionalProperties: false },
);
