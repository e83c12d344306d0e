import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { formatHost, type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkSslPort } from '../target-policy/ports.js';
import { textCell } from './cells.js';
import type { ProbeTypeDefinition } from './definition.js';
import { ipVersionParam, portParam, specOf, timeoutParam } from './fields.js';
import { worstGrade } from './ssl-findings.js';
import { sslLineMembers, sslLines } from './ssl-lines.js';
import { gradeField, nullableDate, nullableInteger, type SslResult, SslResultSchema } from './ssl-result.js';
import { findPort, hostOf } from './target-port.js';

const DEFAULT_PORT = 443;

const Params = Type.Object(
  {
    port: Type.Optional({ ...portParam, description: 'Port, 1 to 65535; default: that of the target, else 443.' }),
    server_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Name to request (SNI) and to compare the certificate with; default: the host of the target.',
      }),
    ),
    ip_version: ipVersionParam,
    timeout_ms: timeoutParam(1000, 30000, 15000, 'Deadline of all handshakes together, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A host, or host:port; the port is 443 unless given.', Params);

const Summary = Type.Object(
  {
    worst_grade: gradeField('Over all nodes.'),
    soonest_not_after: nullableDate('Earliest expiry of a certificate on the path that clients use, over all nodes.'),
    days_until_expiry: nullableInteger('Smallest number of days on any node.'),
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
      { description: 'Each certificate, and the nodes that got it.' },
    ),
  },
  { additionalProperties: false },
);

type SslSpec = Static<typeof Spec>;
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

/** Domain of a target; null for a spec whose target cannot be read, which is refused elsewhere, with a blank result. */
function domainOf(spec: SslSpec): string | null {
  try {
    return formatHost(sslServerName(spec));
  } catch {
    return null;
  }
}

function summarise(results: readonly SslResult[]): Static<typeof Summary> {
  const ends = results.flatMap(({ ends_first, not_after }) => ends_first?.not_after ?? not_after ?? []).sort();
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
  formParams: ['port', 'server_name'],
  Spec,
  Result: SslResultSchema,
  maxResultBytes: MAX_RESULT_BYTES,
  Summary,
  TaskFields,
  exampleTarget: 'example.com',
  // the engine ends by itself at its timeout, with the results so far
  deadlineMs: ({ params }: SslSpec) => params.timeout_ms + 1000,
  // a dozen handshakes, which cost a server more than any other request
  targetWeight: () => 4,
  blank,
  targetHost: hostOf,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Days left', cell: (r: SslResult) => textCell(r.days_until_expiry) },
    { title: 'Expires', isInDetails: true, cell: (r: SslResult) => textCell(r.not_after?.slice(0, 10) ?? null) },
    { title: 'Protocol', isInDetails: true, cell: (r: SslResult) => textCell(r.protocol) },
    { title: 'Versions', isInDetails: true, cell: versionsCell },
    { title: 'Issuer', isInDetails: true, cell: (r: SslResult) => textCell(r.issuer) },
    { title: 'Warnings', isInDetails: true, cell: (r: SslResult) => textCell(r.warnings.join(' ') || null) },
    { title: 'Address', isInDetails: true, cell: (r: SslResult) => textCell(r.resolved_ip) },
  ],
  details: { shows: sslLineMembers, lines: sslLines },
  summarise,
  taskFields,
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof SslResultSchema, typeof Summary, typeof TaskFields>;
