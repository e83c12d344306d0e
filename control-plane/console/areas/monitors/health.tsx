import { type Look, Pill } from '../../ui/status.js';
import type { Monitor } from './monitor.js';
import { monitorTexts } from './texts.js';

const looks: Readonly<Record<Monitor['current_status'], Look>> = {
  up: 'good',
  down: 'bad',
  degraded: 'warn',
  unknown: 'none',
};

/** State of a monitor: its health while it is active. */
export function Health({
  monitor,
}: {
  readonly monitor: Pick<Monitor, 'status' | 'current_status' | 'in_maintenance' | 'advisory'>;
}) {
  const text = monitorTexts();
  const { status, current_status: health } = monitor;
  return (
    <span class="row tight">
      {status === 'active' ? (
        <Pill look={looks[health]} word={text.health[health]} />
      ) : (
        <Pill look="none" word={text.status[status]} />
      )}
      {monitor.in_maintenance && <span class="tag">{text.maintenance}</span>}
      {monitor.advisory !== null && monitor.advisory.failing_nodes.length > 0 && (
        <span class="tag">{text.advisory}</span>
      )}
    </span>
  );
}
