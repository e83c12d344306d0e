import t from 'tap';
import { phasesOf, typeAt } from './event-phases.js';

const until = (ms: number) => new Date(ms).toISOString();
const event = {
  type: 'degraded',
  startedAtMs: 100,
  endedAtMs: 900,
  earlier: [
    { type: 'degraded', until: until(300) },
    { type: 'down', until: until(600) },
  ],
} as const;

t.test('an event is what it was until each change, within its bounds', async (t) => {
  t.same(phasesOf(event), [
    { type: 'degraded', startedAtMs: 100, endedAtMs: 300 },
    { type: 'down', startedAtMs: 300, endedAtMs: 600 },
    { type: 'degraded', startedAtMs: 600, endedAtMs: 900 },
  ]);
  t.same(phasesOf({ ...event, startedAtMs: 400, endedAtMs: 500 }), [
    { type: 'down', startedAtMs: 400, endedAtMs: 500 },
  ]);
  t.same(phasesOf({ ...event, endedAtMs: null }).at(-1), { type: 'degraded', startedAtMs: 600, endedAtMs: null });
  t.same(phasesOf({ ...event, endedAtMs: 100 }), [{ type: 'degraded', startedAtMs: 100, endedAtMs: 100 }]);
  t.same(
    [0, 299, 300, 599, 600].map((ms) => typeAt(event, ms)),
    ['degraded', 'degraded', 'down', 'down', 'degraded'],
  );
});
