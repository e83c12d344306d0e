import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Trace } from './_support/monitor-trace.js';
import { TraceWorld } from './_support/trace-world.js';

// Each file of testdata/monitor-traces contains the history of a monitor and its outcome. With VANTAGE_TEST_RECORD=1
// the present outcome is written there instead of compared: read the difference before you commit it.

const folder = fileURLToPath(new URL('../../test/testdata/monitor-traces/', import.meta.url));
const isRecording = process.env['VANTAGE_TEST_RECORD'] === '1';

t.test('every recorded trace of a monitor leads to the same states, events and outbox rows', async (t) => {
  const world = await TraceWorld.start(t);
  const names = readdirSync(folder).sort();
  t.ok(names.length >= 12);
  for (const name of names) {
    const { states, events, told, ...given } = JSON.parse(readFileSync(folder + name, 'utf8')) as Trace;
    const trace: Trace = { ...given, states, events, told };
    const outcome = await world.run(trace);
    if (isRecording) writeFileSync(folder + name, `${JSON.stringify({ ...given, ...outcome }, null, 2)}\n`);
    else t.strictSame(outcome, { states, events, told }, `${name}: ${trace.about}`);
  }
});

t.test('no recorded event of a monitor begins before the previous one ended', async (t) => {
  for (const name of readdirSync(folder)) {
    const { events } = JSON.parse(readFileSync(folder + name, 'utf8')) as Trace;
    const spans = events.map((line) => /from (\S+) (?:to (\S+)|not over),/.exec(line)?.slice(1) ?? []);
    // times of a day sort as texts
    t.ok(
      spans.every(([from = ''], index) => index === 0 || from >= (spans[index - 1]?.[1] ?? '~')),
      name,
    );
  }
});
