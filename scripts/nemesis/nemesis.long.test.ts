import t from 'tap';
import { startNemesis, wordsOfEnd } from './_support/nemesis-process.js';

t.test('a minute of faults of every kind leaves nothing lost, doubled or broken', async (t) => {
  const nemesis = startNemesis(t, {}, '--seed', '20260101', '--minutes', '1', '--json');
  const end = await nemesis.ended;
  if (!t.equal(end.code, 0, wordsOfEnd(nemesis, end))) return;
  const report = JSON.parse(end.stdout);
  t.ok(report.faults.length >= 8, `${report.faults.length} faults`);
  t.ok(report.counts.results >= 30, `${report.counts.results} results`);
  t.strictSame(
    report.findings.filter(({ breaches }: { breaches: readonly string[] }) => breaches.length > 0),
    [],
  );
});
