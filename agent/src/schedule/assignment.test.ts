import { rounds } from '@vantage/shared/_support/rounds.js';
import { AssignmentSpecSchema } from '@vantage/shared/monitor-types/assignment.js';
import { compileTest } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { parseCheckSpec } from './assignment.js';

const isSpec = compileTest(AssignmentSpecSchema);
const good = {
  type: 'tcp',
  target: 'a:1',
  config: { port: 1 },
  interval_s: 30,
  consecutive_fail: 2,
  consecutive_ok: 3,
};

t.test('a specification is read, and what a newer control plane adds is passed over', async (t) => {
  t.same(parseCheckSpec(JSON.stringify({ ...good, later: 1 })), {
    type: 'tcp',
    target: 'a:1',
    configJson: '{"port":1}',
    intervalMs: 30_000,
    rule: { consecutiveFail: 2, consecutiveOk: 3 },
  });
  t.equal(parseCheckSpec(JSON.stringify({ ...good, type: 'newer' })).type, 'newer', 'for the measuring child to judge');
});

t.test('what the shared schema takes is read, and nothing else', async () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, '', 0, 1, 1.5, 100, 101, 86_400, 86_401, -1, [], {}, true, 'x'.repeat(2048)),
    fc.constantFrom<unknown>('x'.repeat(2049), '😀'.repeat(2048), '😀'.repeat(2049), '1', Number.MAX_SAFE_INTEGER),
  );
  const fields = fc.constantFrom('target', 'config', 'interval_s', 'consecutive_fail', 'consecutive_ok');
  fc.assert(
    fc.property(fields, fc.option(odd, { nil: undefined }), (field, value) => {
      const spec = JSON.parse(JSON.stringify({ ...good, [field]: value }));
      const { type } = parseCheckSpec(JSON.stringify(spec));
      return (type === 'tcp') === isSpec(spec);
    }),
    { numRuns: rounds(500) },
  );
});

t.test('text that is not a specification counts as one of an unknown type', async (t) => {
  for (const text of ['', '{', 'null', '[]', '"tcp"', '7'])
    t.match(parseCheckSpec(text), { type: '', intervalMs: 60_000 });
});
