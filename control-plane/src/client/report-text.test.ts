import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { sectionText } from './report-text.js';

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
