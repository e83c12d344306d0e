import { msCell } from '@vantage/shared/probe-types/cells.js';
import type { Pill } from '../../../../http/pages/pill-html.js';
import type { SslAnswer } from '../../kinds/ssl.js';
import { type AnswerView, codeFinding, gradeLook, listText, type Row } from '../answer-view.js';
import type { Words } from '../words.js';

/** Time before the end of a certificate in which it is marked, in milliseconds: as the finding `expires_soon`. */
const SOON_MS = 14 * 86_400_000;

/** Certificate and TLS of a server. */
export function sslView(data: SslAnswer, words: Words, nowMs: number): AnswerView {
  const { label } = words;
  const { error, findings, chain, grade } = data;
  if (error !== null)
    return {
      verdicts: [{ look: 'bad', word: label('noResponse') }],
      note: `${error.code}: ${error.message}`,
      parts: [{ kind: 'values', rows: connectionRows(data, words) }],
    };
  return {
    verdicts: [{ look: gradeLook(grade), word: `${label('grade')} ${grade ?? '-'}` }, ...expiryOf(data, words, nowMs)],
    note: null,
    parts: [
      { kind: 'values', rows: certificateRows(data, words) },
      {
        kind: 'findings',
        title: label('findings'),
        findings: findings.map(({ code, cap }) => codeFinding(code, capPill(cap, words), words)),
      },
      { kind: 'values', title: label('connection'), rows: connectionRows(data, words) },
      {
        kind: 'table',
        title: label('chain'),
        head: [label('issuedTo'), label('issuer'), label('expires'), label('key'), label('signature')],
        rows: chain.map((one) => [
          one.subject,
          one.issuer,
          words.date(one.not_after) ?? '-',
          listText([one.public_key_algorithm, one.public_key_bits], ' ') ?? '-',
          one.signature_algorithm ?? '-',
        ]),
      },
    ],
  };
}

/** Pill of a finding that limits the grade, or does not. */
function capPill(cap: string | null, { label }: Words): Pill {
  if (cap === null) return { look: 'none', word: label('noLimit') };
  const look = gradeLook(cap);
  return { look: look === 'good' ? 'warn' : look, word: `${label('atMost')} ${cap}` };
}

function expiryOf({ not_after: end }: SslAnswer, { label, until }: Words, nowMs: number): Pill[] {
  if (end === null) return [];
  const leftMs = Date.parse(end) - nowMs;
  return [
    { look: leftMs < 0 ? 'bad' : leftMs < SOON_MS ? 'warn' : 'good', word: `${label('expires')}: ${until(end)}` },
  ];
}

function certificateRows(data: SslAnswer, { label, date, yesNo }: Words): Row[] {
  const { grade, grade_ignoring_trust: other, subject, san_domains: names } = data;
  return [
    [label('certificateValid'), yesNo(data.valid)],
    [label('gradeIgnoringTrust'), other === grade ? null : other],
    [label('expires'), date(data.not_after)],
    [label('validFrom'), date(data.not_before)],
    [label('issuedTo'), subject],
    [label('names'), listText(names)],
    [label('issuer'), data.issuer],
  ];
}

function connectionRows(data: SslAnswer, { label }: Words): Row[] {
  const { timing, tls_versions: versions, ocsp_status: ocsp, resolved_ip: address, port } = data;
  const times = [
    ['DNS', timing.dns_ms === 0 ? null : timing.dns_ms],
    ['TCP', timing.tcp_ms],
    ['TLS', timing.tls_ms],
  ] as const;
  const supported = versions.filter((one) => one.supported === true).map(({ version }) => version);
  return [
    [label('protocol'), data.protocol],
    [label('versions'), listText(supported)],
    [label('cipherSuite'), data.cipher_suite],
    [label('weakSuites'), listText(data.weak_cipher_suites)],
    [label('ocsp'), ocsp === null ? null : label(`ocsp ${ocsp}`)],
    [label('address'), address === null ? null : `${address}, ${label('port')} ${port}`],
    [label('times'), listText(times.map(([name, ms]) => (ms === null ? null : `${name} ${msCell(ms)}`)))],
  ];
}
