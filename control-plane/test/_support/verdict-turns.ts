import { phaseOf, slotAt, slotStart } from '@vantage/shared/monitor-state/slots.js';
import type { TestApi } from './stack.js';

/** A check of a monitor with one failed check in a row by which a node changed its verdict. */
export interface Turn {
  readonly nodeId: string;
  /** Due time, milliseconds since the epoch. */
  readonly slotMs: number;
  /** True if the node changed from up to not up. */
  readonly isBad: boolean;
}

interface ListedCheck {
  readonly node_id: string;
  readonly started_at: string;
  readonly outcome: 'ok' | 'degraded' | 'failed';
}

/** Due times of all checks of a monitor by node, oldest first, as the list of the API has them. */
export async function checksByNode(
  api: TestApi,
  { id, interval_s }: { readonly id: string; readonly interval_s: number },
): Promise<Map<string, { slotMs: number; isBad: boolean }[]>> {
  const { body } = await api.call('GET', `/v1/monitors/${id}/checks?limit=200`);
  const byNode = new Map<string, { slotMs: number; isBad: boolean }[]>();
  for (const { node_id, started_at, outcome } of (body.data as ListedCheck[]).toReversed()) {
    const intervalMs = interval_s * 1_000;
    const grid = { intervalMs, phaseMs: phaseOf(id, node_id, intervalMs) };
    const slotMs = slotStart(slotAt(Date.parse(started_at), grid), grid);
    byNode.set(node_id, [...(byNode.get(node_id) ?? []), { slotMs, isBad: outcome !== 'ok' }]);
  }
  return byNode;
}

/** Checks by which nodes changed their verdicts, oldest first. */
export function turnsIn(checks: Awaited<ReturnType<typeof checksByNode>>): Turn[] {
  return [...checks]
    .flatMap(([nodeId, all]) =>
      all.flatMap(({ slotMs, isBad }, index) =>
        isBad === (all[index - 1]?.isBad ?? false) ? [] : [{ nodeId, slotMs, isBad }],
      ),
    )
    .sort((a, b) => a.slotMs - b.slotMs);
}
