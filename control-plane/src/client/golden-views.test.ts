import { readFileSync } from 'node:fs';
import { compareGolden } from '@vantage/shared/_support/golden.js';
import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import t from 'tap';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { factsText } from './facts-text.js';
import { monitorsText } from './monitors-text.js';
import { nodesText } from './nodes-text.js';
import { endText, sectionText } from './report-text.js';

// responses of the API, and next to each the text of it

const folder = new URL('../../../test/testdata/terminal/views/', import.meta.url);

function reportText(report: ReportView, screen: Screen): string {
  const sections = Object.entries(report.sections) as [SectionName, SectionView][];
  const texts = sections.map(([name, section]) => sectionText(name, section, { nodes: report.nodes, screen }));
  return [...texts, endText(report, { isShared: true, screen })].join('\n');
}

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
const views: Readonly<Record<string, (data: any, screen: Screen) => string>> = {
  report: reportText,
  nodes: nodesText,
  monitors: monitorsText,
  whois: factsText,
  ip: factsText,
  dns: factsText,
  headers: factsText,
  reputation: factsText,
};

for (const [name, render] of Object.entries(views)) {
  const data = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

  t.test(`the response "${name}" looks as recorded at each width, with and without colour`, async (t) => {
    compareGolden(t, new URL(`${name}.txt`, folder), (screen) => render(data, screen));
  });
}
