import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { endText, sectionText } from './report-text.js';

const node = { country: 'JP', city: 'Tokyo', asn: 2516 };
const nodes = [
  { node_id: 'n1', node },
  { node_id: 'n2', node: null },
] as unknown as ReportView['nodes'];
const finding = { severity: 'warning', penalty: 12, code: 'no_frame_protection', node_ids: ['n1'] };
const message = 'Neither frame-ancestors nor X-Frame-Options limits which sites may frame the page.';

t.test('a finding that is longer than the line goes on below its own beginning', async (t) => {
  const section = { status: 'completed', score: 88, reason: null, findings: [{ ...finding, message }] };
  t.equal(
    sectionText('security_headers', section as unknown as SectionView, { nodes, screen: { width: 80, paint: plain } }),
    [
      'security_headers  88',
      '  warning  -12  Neither frame-ancestors nor X-Frame-Options limits which sites',
      '                may frame the page. (no_frame_protection) from Tokyo, JP, AS2516',
    ].join('\n'),
  );
});

t.test(
  'a report ends with the three findings that matter most, each with its remedy, and the overall score',
  async (t) => {
    const found = (code: string, severity: string, penalty: number) => ({
      code,
      severity,
      penalty,
      message: `${code}.`,
      remedy: `Mend ${code}.`,
    });
    const sections = {
      http: { findings: [found('slow', 'warning', 10), { ...found('ok', 'good', 0), remedy: null }] },
      ssl: { findings: [found('expired', 'critical', 80)] },
      security_headers: { findings: [found('no_csp', 'warning', 25), found('no_hsts', 'warning', 40)] },
    };
    const report = { sections, overall_score: 40, status: 'completed', truncated: false } as unknown as ReportView;
    t.equal(
      endText(report, { isShared: false, screen: { width: 80, paint: plain } }),
      [
        '',
        'mend these three first',
        '  1  ssl               expired. (expired)',
        '                       Mend expired.',
        '  2  security_headers  no_hsts. (no_hsts)',
        '                       Mend no_hsts.',
        '  3  http              slow. (slow)',
        '                       Mend slow.',
        '',
        'overall  40',
      ].join('\n'),
    );
    const faultless = { ...report, sections: { ping: { findings: [] } } };
    t.equal(
      endText(faultless as unknown as ReportView, { isShared: false, screen: { width: 80, paint: plain } }),
      'overall  40',
    );
  },
);
