import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { formatHost, type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkSslPort } from '../target-policy/ports.js';
import { textCell } from './cells.js';
import type { ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  nullableMilliseconds,
  nullableString,
  outcomeFields,
  portParam,
  resolvedIpField,
  specOf,
  timeoutParam,
} from './fields.js';
import { sslFindingCodes, sslGrades, worstGrade } from './ssl-findings.js';
import { sslLineMembers, sslLines } from './ssl-lines.js';
import { findPort, hostOf } from './target-port.js';

/** Protocol versions an audit tries, oldest first. */
export const sslVersions = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

export type SslVersion = (typeof sslVersions)[number];

/** What a stapled OCSP response says; `none` without one, `invalid` where it proves nothing. */
export const ocspStatuses = ['good', 'revoked', 'unknown', 'none', 'invalid'] as const;

const DEFAULT_PORT = 443;

const Params = Type.Object(
  {
    port: Type.Optional({ ...portParam, description: 'Port, 1 to 65535; default: that of the target, else 443.' }),
    server_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Name to ask for (SNI) and to compare the certificate with; default: the host of the target.',
      }),
    ),
    ip_version: ipVersionParam,
    timeout_ms: timeoutParam(1000, 30000, 15000, 'One deadline over all handshakes, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A host, or host:port; the port is 443 unless given.', Params);

const nullableDate = (description: string) => nullable(Type.String({ format: 'date-time' }), description);
const nullableInteger = (description: string) => nullable(Type.Integer(), description);
const gradeField = (description: string) =>
  Type.Union([Type.Enum([...sslGrades], { type: 'string' }), Type.Null()], { description });

const Version = Type.Object(
  {
    version: Type.Enum([...sslVersions], { type: 'string' }),
    supported: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null when it could not be told.' }),
    cipher_suite: nullableString('What it negotiates, in OpenSSL’s spelling.'),
    key_exchange: nullableString(
      'Group of an ephemeral key exchange, or DH and its bits; null without forward secrecy.',
    ),
    reason: nullableString('Why it is not supported, or not known.'),
  },
  { additionalProperties: false },
);

const Certificate = Type.Object(
  {
    subject: Type.String(),
    issuer: Type.String(),
    not_before: Type.String({ format: 'date-time' }),
    not_after: Type.String({ format: 'date-time' }),
    signature_algorithm: nullableString('For example ecdsa-with-SHA256; a dotted number where it has no name here.'),
    public_key_algorithm: nullableString('RSA, RSA-PSS, EC, DSA, Ed25519, Ed448, or a dotted number.'),
    public_key_bits: nullableInteger('Size of the key, or of the field of its curve.'),
    serial_number: Type.String(),
    fingerprint_sha256: Type.String(),
    is_ca: Type.Boolean(),
  },
  { additionalProperties: false },
);

const Staple = Type.Object(
  {
    this_update: nullableDate('When the responder knew this.'),
    next_update: nullableDate('Until when it holds.'),
    revoked_at: nullableDate('When the certificate was revoked.'),
    error: nullableString('Why the response proves nothing.'),
  },
  { additionalProperties: false },
);

const Finding = Type.Object(
  {
    code: Type.Enum([...sslFindingCodes], { type: 'string', description: 'Stable code; branch on this.' }),
    cap: gradeField('The best grade it leaves; null where it costs nothing.'),
    message: Type.String({ maxLength: 500, description: 'What was found, in English, for display only.' }),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    grade: gradeField(
      'From A+ to F, M for another name, T for no trust: docs/ssl-grades.md. Null without a certificate.',
    ),
    grade_ignoring_trust: gradeField(
      'What the grade would be with a certificate that is trusted and of the right name.',
    ),
    domain: nullableString('The name that was asked for, and compared with the certificate.'),
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    port: Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()]),
    valid: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Chain, dates and name are all in order; findings say what is not. Null when it could not be told.',
    }),
    days_until_expiry: nullableInteger(
      'Whole days until the certificate ends, by the node’s corrected clock; negative after.',
    ),
    subject: nullableString('Subject of the certificate.'),
    issuer: nullableString('Who signed it.'),
    not_before: nullableDate('Its first moment.'),
    not_after: nullableDate('Its last moment.'),
    san_domains: Type.Array(Type.String(), {
      maxItems: 1000,
      description: 'Names and addresses of its subjectAltName, the first thousand.',
    }),
    protocol: nullableString('The best version that both sides speak, for example TLSv1.3.'),
    cipher_suite: nullableString('What it negotiates, in OpenSSL’s spelling.'),
    tls_versions: Type.Array(Version, { maxItems: sslVersions.length }),
    weak_cipher_suites: Type.Array(Type.String(), {
      maxItems: 16,
      description: 'Suites the server took when offered only weak ones, one of each kind.',
    }),
    ocsp_status: Type.Union([Type.Enum([...ocspStatuses], { type: 'string' }), Type.Null()], {
      description: 'What the stapled OCSP response says; none: no staple; invalid: one that proves nothing.',
    }),
    ocsp_staple: Type.Union([Staple, Type.Null()]),
    sct_count: nullableInteger(
      'Signed certificate timestamps in certificate and staple; not those of the TLS extension.',
    ),
    warnings: Type.Array(Type.Enum([...sslFindingCodes], { type: 'string' }), {
      maxItems: sslFindingCodes.length,
      description: 'Codes of all findings, worst first.',
    }),
    findings: Type.Array(Finding, { maxItems: sslFindingCodes.length }),
    chain: Type.Array(Certificate, { maxItems: 16, description: 'As the server sent it.' }),
    timing: Type.Object(
      {
        dns_ms: nullableMilliseconds('Name resolution; 0 for a literal address.'),
        tcp_ms: nullableMilliseconds('TCP connect of the first handshake.'),
        tls_ms: nullableMilliseconds('The first handshake.'),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    worst_grade: gradeField('Over all nodes.'),
    soonest_not_after: nullableDate('The first certificate to end, over all nodes.'),
    days_until_expiry: nullableInteger('The fewest days any node counts.'),
    certificates_differ: Type.Boolean({ description: 'Nodes saw different certificates.' }),
  },
  { additionalProperties: false },
);

const TaskFields = Type.Object(
  {
    certificates: Type.Array(
      Type.Object(
        {
          fingerprint_sha256: Type.String(),
          subject: Type.String(),
          issuer: Type.String(),
          not_after: Type.String({ format: 'date-time' }),
          node_ids: Type.Array(Type.String()),
        },
        { additionalProperties: false },
      ),
      { description: 'Each certificate seen, and who saw it.' },
    ),
  },
  { additionalProperties: false },
);

type SslSpec = Static<typeof Spec>;
/** What a node answers. */
export type SslResult = Static<typeof Result>;

/** The port of a spec: of its target or its parameter, else 443. @throws TargetError when they differ */
export function sslPort(spec: SslSpec): number {
  return findPort(spec) ?? DEFAULT_PORT;
}

/** The name or address that is asked for and compared with the certificate. @throws TargetError */
export function sslServerName(spec: SslSpec): Host {
  const { server_name: name } = spec.params;
  return name === undefined ? hostOf(spec) : parseHost(name, 'params.server_name');
}

function checkTarget(spec: SslSpec, policy: TargetPolicy): void {
  policy.checkHost(hostOf(spec));
  if (spec.params.server_name !== undefined) policy.checkHost(sslServerName(spec), 'params.server_name');
  checkSslPort(sslPort(spec), spec.params.port === undefined ? 'target' : 'params.port');
}

function blank(spec: SslSpec): Omit<SslResult, 'success' | 'error'> {
  return {
    grade: null,
    grade_ignoring_trust: null,
    domain: domainOf(spec),
    resolved_ip: null,
    ip_version: null,
    port: null,
    valid: null,
    days_until_expiry: null,
    subject: null,
    issuer: null,
    not_before: null,
    not_after: null,
    san_domains: [],
    protocol: null,
    cipher_suite: null,
    tls_versions: [],
    weak_cipher_suites: [],
    ocsp_status: null,
    ocsp_staple: null,
    sct_count: null,
    warnings: [],
    findings: [],
    chain: [],
    timing: { dns_ms: null, tcp_ms: null, tls_ms: null },
  };
}

/** Null for a spec whose target cannot be read: it is refused elsewhere, with a blank result. */
function domainOf(spec: SslSpec): string | null {
  try {
    return formatHost(sslServerName(spec));
  } catch {
    return null;
  }
}

function summarise(results: readonly SslResult[]): Static<typeof Summary> {
  const ends = results.flatMap(({ not_after }) => not_after ?? []).sort();
  const days = results.flatMap(({ days_until_expiry }) => days_until_expiry ?? []);
  return {
    worst_grade: worstGrade(results.flatMap(({ grade }) => grade ?? [])),
    soonest_not_after: ends[0] ?? null,
    days_until_expiry: days.length === 0 ? null : Math.min(...days),
    certificates_differ: new Set(results.flatMap(({ chain }) => chain[0]?.fingerprint_sha256 ?? [])).size > 1,
  };
}

function taskFields(
  _spec: SslSpec,
  results: readonly { readonly nodeId: string; readonly result: SslResult }[],
): Static<typeof TaskFields> {
  const seen = new Map<string, Static<typeof TaskFields>['certificates'][number]>();
  for (const { nodeId, result } of results) {
    const [leaf] = result.chain;
    if (leaf === undefined) continue;
    const { fingerprint_sha256, subject, issuer, not_after } = leaf;
    const entry = seen.get(fingerprint_sha256) ?? { fingerprint_sha256, subject, issuer, not_after, node_ids: [] };
    entry.node_ids.push(nodeId);
    seen.set(fingerprint_sha256, entry);
  }
  return { certificates: [...seen.values()] };
}

const versionsCell = ({ tls_versions: versions }: SslResult): string => {
  const supported = versions.filter(({ supported }) => supported === true).map(({ version }) => version);
  return supported.length === 0 ? '-' : supported.map((version) => version.replace('TLSv', '')).join(' ');
};

/** Certificate, chain, protocol versions and ciphers of a TLS server, with a grade. */
export const ssl = {
  type: 'ssl',
  title: 'SSL',
  summary: 'Certificate, chain, protocol versions and ciphers of a TLS server, with a grade',
  capability: null,
  Params,
  Spec,
  Result,
  Summary,
  TaskFields,
  exampleTarget: 'example.com',
  // the engine ends by itself at its timeout, with what it has
  deadlineMs: ({ params }: SslSpec) => params.timeout_ms + 1000,
  // a dozen handshakes, which cost a server more than anything else that is asked of it
  targetWeight: () => 4,
  blank,
  targetHost: hostOf,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Grade', cell: (r: SslResult) => textCell(r.grade) },
    { title: 'Days left', cell: (r: SslResult) => textCell(r.days_until_expiry) },
    { title: 'Expires', cell: (r: SslResult) => textCell(r.not_after?.slice(0, 10) ?? null) },
    { title: 'Protocol', cell: (r: SslResult) => textCell(r.protocol) },
    { title: 'Versions', cell: versionsCell },
    { title: 'Issuer', cell: (r: SslResult) => textCell(r.issuer) },
    { title: 'Warnings', cell: (r: SslResult) => textCell(r.warnings.join(' ') || null) },
    { title: 'Address', cell: (r: SslResult) => textCell(r.resolved_ip) },
  ],
  details: { shows: sslLineMembers, lines: sslLines },
  summarise,
  taskFields,
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof TaskFields>;
