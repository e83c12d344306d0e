import t from 'tap';
import { barOf, type Cell } from './bars.js';

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });
const none = { downs: [], degradations: [], pauses: [] };
const bar = (fields: Partial<Parameters<typeof barOf>[0]>): Cell[] =>
  barOf({
    fromMs: 1_000,
    cellMs: 100,
    cells: 3,
    nowMs: 1_300,
    firstCheckMs: 0,
    episodes: none,
    maintained: [],
    ...fields,
  });
const cell = (fields: Partial<Cell>): Cell => ({ up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0, ...fields });

t.test('a cell has the time of each state, and together they are the part that has passed', async (t) => {
  t.strictSame(bar({ nowMs: 1_240 }), [cell({ up: 100 }), cell({ up: 100 }), cell({ up: 40 })]);
  const episodes = { downs: [span(1_050, 1_120)], degradations: [span(1_100, 1_150)], pauses: [span(1_210, 1_230)] };
  t.strictSame(bar({ episodes }), [
    cell({ up: 50, down: 50 }),
    cell({ down: 20, degraded: 30, up: 50 }),
    cell({ up: 80, unknown: 20 }),
  ]);
});

t.test('maintenance comes before an outage, and the time before the first check is unknown', async (t) => {
  const episodes = { ...none, downs: [span(900, 1_200)] };
  t.strictSame(bar({ episodes, maintained: [span(1_090, 1_110)], firstCheckMs: 1_050 }), [
    cell({ unknown: 50, down: 40, maintenance: 10 }),
    cell({ maintenance: 10, down: 90 }),
    cell({ up: 100 }),
  ]);
  t.strictSame(bar({ firstCheckMs: null })[2], cell({ unknown: 100 }));
});
