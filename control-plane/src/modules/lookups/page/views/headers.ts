import { type Severity, severityTexts } from '@vantage/shared/diagnose/finding-rule.js';
import { securityHeaders } from '@vantage/shared/headers/analyse-headers.js';
import { msCell } from '@vantage/shared/probe-types/cells.js';
import type { Pill } from '../../../../http/pages/pill-html.js';
import type { HeadersAnswer } from '../../kinds/headers-answer.js';
import { type AnswerView, codeFinding, gradeLook } from '../answer-view.js';
import type { Words } from '../words.js';

const looks: Readonly<Record<Severity, Pill['look']>> = {
  critical: 'bad',
  warning: 'warn',
  notice: 'none',
  good: 'good',
};
const headerNames: Readonly<Record<string, string>> = { ...securityHeaders, cdn: 'CDN' };

/** Headers of a site. */
export function headersView(data: HeadersAnswer, words: Words): AnswerView {
  const { label, locale, yesNo } = words;
  const { grade, error, findings, security, hops, cookies, headers, url, final_url: finalUrl } = data;
  if (error !== null)
    return {
      verdicts: [{ look: 'bad', word: label('noResponse') }],
      note: `${error.code}: ${error.message}`,
      parts: [],
    };
  const word = grade === null ? label('notGraded') : `${label('grade')} ${grade}`;
  return {
    verdicts: [{ look: gradeLook(grade), word }],
    note: null,
    parts: [
      {
        kind: 'findings',
        title: label('findings'),
        findings: findings.map(({ code, severity }) =>
          codeFinding(code, { look: looks[severity], word: severityTexts[severity][locale] }, words),
        ),
      },
      {
        kind: 'values',
        title: label('security'),
        rows: Object.entries(security).map(([name, value]) => [headerNames[name] ?? name, value]),
      },
      {
        kind: 'table',
        title: label('requests'),
        head: [label('status'), 'URL', label('times')],
        rows: hops.map((hop) => [String(hop.status_code), hop.url, msCell(hop.ms)]),
      },
      {
        kind: 'table',
        title: label('cookies'),
        head: [label('name'), label('secure'), label('httpOnly'), label('sameSite')],
        rows: cookies.map((cookie) => [
          cookie.name,
          yesNo(cookie.secure) ?? '-',
          yesNo(cookie.http_only) ?? '-',
          cookie.same_site ?? '-',
        ]),
      },
      { kind: 'values', rows: [[label('finalUrl'), finalUrl === url ? null : finalUrl]] },
      { kind: 'values', title: label('allHeaders'), rows: Object.entries(headers), isFolded: true },
    ],
  };
}
