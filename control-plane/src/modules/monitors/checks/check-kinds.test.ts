import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { defaultPlans } from '../../../plans/index.js';
import { monitorKinds } from './check-kinds.js';
import { checkDaysOf } from './check-store.js';

const NOW_MS = 1_800_000_000_000;

t.test('missed slots are as many as there may be between the first and the last', async (t) => {
  const kinds = monitorKinds({
    keptFor: checkDaysOf(defaultPlans),
    onDue: () => undefined,
    counts: { countCheck: () => undefined, countMissed: () => undefined },
    allowance: { fitting: async (_db, rows) => rows, spend: () => undefined },
  });
  const missed = kinds.find(({ name }) => name === MISSED_KIND);
  const read = (first_slot_ms: number, last_slot_ms: number, count: number) => {
    const body = { first_slot_ms, last_slot_ms, count, reason: 'behind', generation: 1, through_ms: last_slot_ms };
    const resultJson = Buffer.from(JSON.stringify({ monitor_id: newId(idPrefixes.monitor), ...body }));
    return missed?.read({ kind: MISSED_KIND, resultJson } as ResultMessage, { nowMs: NOW_MS });
  };
  const day = 86_400_000;
  t.match(read(NOW_MS, NOW_MS, 1), { row: Object });
  t.match(read(NOW_MS - day, NOW_MS, 1 + day / 1_000), { row: Object }, 'one a second');
  const wrong: [number, number, number][] = [
    [NOW_MS - day, NOW_MS, 2 + day / 1_000],
    [NOW_MS - 3 * day, NOW_MS, Number.MAX_SAFE_INTEGER],
    [NOW_MS - day, NOW_MS, 1],
    [NOW_MS, NOW_MS, 2],
    [NOW_MS, NOW_MS - day, 2],
  ];
  for (const slots of wrong) t.match(read(...slots), { reject: 'out_of_range' }, JSON.stringify(slots));
});
