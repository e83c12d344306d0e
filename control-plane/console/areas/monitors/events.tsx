import type { acknowledgeMonitorEvent, resolveMonitorEvent } from '../../../src/modules/monitors/routes/event-acts.js';
import type { listMonitorEvents } from '../../../src/modules/monitors/routes/events.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Pages } from '../../ui/pages.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from './texts.js';

/** Periods when a monitor was down or degraded, the last one first. */
export function EventList({ id }: { readonly id: string }) {
  const text = monitorTexts();
  const [{ page }, setState] = useAddressState({ page: '1' });
  const query = useQuery(
    `${id} events ${page}`,
    async (signal) => {
      return (await get<typeof listMonitorEvents>(`/v1/monitors/${id}/events`, { query: { page }, signal })).data;
    },
    { topics: ['monitors'] },
  );
  const { run, isBusy, failure } = useAct(async (verb: 'ack' | 'resolve', eventId: string) => {
    await act<typeof acknowledgeMonitorEvent | typeof resolveMonitorEvent>(
      'POST',
      `/v1/monitor-events/${eventId}/${verb}`,
    );
    query.reload();
  });
  return (
    <Loaded query={query}>
      {({ items, total, limit, page: number }) =>
        total === 0 ? (
          <p>{text.noEvents}</p>
        ) : (
          <div class="wide">
            {failure !== null && <FailureNote failure={failure} />}
            <table class="folding" aria-label={text.events}>
              <thead>
                <tr>
                  <th>{text.state}</th>
                  <th>{text.began}</th>
                  <th>{text.lasted}</th>
                  <th>{text.reason}</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {items.map((event) => (
                  <tr key={event.id}>
                    <td class="whole">
                      <Pill look={event.type === 'down' ? 'bad' : 'warn'} word={text.health[event.type]} />
                    </td>
                    <td>
                      <Time at={event.started_at} />
                    </td>
                    <td data-title={text.lasted}>
                      {event.duration_sec === null ? text.goesOn : formatDuration(event.duration_sec)}
                    </td>
                    <td>
                      {event.reason !== null && visible(event.reason)}
                      {event.is_false_positive && <span class="tag">{text.falsePositive}</span>}
                      {event.ack_at !== null && <span class="tag">{text.acknowledged}</span>}
                    </td>
                    <td class="acts">
                      {event.ended_at === null && event.ack_at === null && (
                        <button type="button" class="quiet" disabled={isBusy} onClick={() => void run('ack', event.id)}>
                          {text.acknowledge}
                        </button>
                      )}
                      {event.ended_at === null && event.resolved_at === null && (
                        <button
                          type="button"
                          class="quiet"
                          disabled={isBusy}
                          onClick={() => void run('resolve', event.id)}
                        >
                          {text.resolve}
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <Pages page={number} size={limit} total={total} onPage={(chosen) => setState({ page: String(chosen) })} />
          </div>
        )
      }
    </Loaded>
  );
}
