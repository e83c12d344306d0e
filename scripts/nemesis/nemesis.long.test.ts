import t from 'tap';
import { startNemesis } from './_support/nemesis-process.js';

t.test('a minute of faults of every kind leaves nothing lost, doubled or broken', { timeout: 420_000 }, async (t) => {
  const nemesis = startNemesis(t, {}, '--seed', '20260101', '--minutes', '1', '--json');
  const { code, stdout } = await nemesis.ended;
  if (code !== 0) t.comment(nemesis.said());
  t.equal(code, 0);
  const report = JSON.parse(stdout);
  t.ok(report.faults.length >= 8, `${report.faults.length} faults`);
  t.ok(report.counts.results >= 30, `${report.counts.results} results`);
  t.strictSame(
    report.findings.filter(({ breaches }: { breaches: readonly string[] }) => breaches.length > 0),
    [],
  );
});
