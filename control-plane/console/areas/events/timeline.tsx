import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { listAllMonitorEvents } from '../../../src/modules/monitors/routes/account-events.js';
import type { acknowledgeMonitorEvent } from '../../../src/modules/monitors/routes/event-acts.js';
import { act, type DataOf, get } from '../../api/call.js';
import { formatDuration, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Select } from '../../ui/field.js';
import { useOlder } from '../../ui/older.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { useMonitorNames } from '../monitors/names.js';
import { monitorTexts } from '../monitors/texts.js';
import { eventTexts } from './texts.js';

export type MonitorEvent = DataOf<typeof listAllMonitorEvents>['items'][number];

const noFilter = { open: '', acked: '', type: '', monitor: '', range: '' };
const ranges = ['24h', '7d', '30d'] as const;

/** Events of every monitor, the one that began last first. */
export function EventTimeline() {
  const text = eventTexts();
  const words = monitorTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const { monitors, nameOf } = useMonitorNames();
  const { open, acked, type, monitor, range } = filter;
  const query = { open, acked, type, monitor_id: monitor, from: range === '' ? '' : `-${range}` };
  const { newest, items, hasOlder, readOlder } = useOlder<MonitorEvent>(
    `events ${JSON.stringify(query)}`,
    async (cursor, signal) => {
      const answer = await get<typeof listAllMonitorEvents>('/v1/monitor-events', {
        query: { ...query, cursor, limit: 50 },
        ...(signal && { signal }),
      });
      return { ...answer, items: answer.data.items };
    },
  );
  const older = useAct(readOlder);
  const [acknowledged, setAcknowledged] = useState<ReadonlySet<string>>(new Set());
  const acknowledge = useAct(async (id: string) => {
    // shown before the answer, and taken back if that refuses
    setAcknowledged((ids) => new Set([...ids, id]));
    try {
      await act<typeof acknowledgeMonitorEvent>('POST', `/v1/monitor-events/${id}/ack`);
    } catch (error) {
      setAcknowledged((ids) => new Set([...ids].filter((one) => one !== id)));
      throw error;
    }
  });
  const failure = acknowledge.failure ?? older.failure;
  const any = { value: '', label: words.any };
  return (
    <section>
      <h1>{words.events}</h1>
      <div class="filters" role="search">
        <Select
          label={words.state}
          value={open}
          options={[any, { value: 'true', label: text.open }, { value: 'false', label: text.ended }]}
          onChange={(value) => setFilter({ open: value })}
        />
        <Select
          label={text.acknowledgement}
          value={acked}
          options={[any, { value: 'true', label: words.acknowledged }, { value: 'false', label: text.notAcknowledged }]}
          onChange={(value) => setFilter({ acked: value })}
        />
        <Select
          label={words.type}
          value={type}
          options={[any, ...(['down', 'degraded'] as const).map((value) => ({ value, label: words.health[value] }))]}
          onChange={(value) => setFilter({ type: value })}
        />
        <Select
          label={text.monitor}
          value={monitor}
          options={[
            any,
            ...(monitor === '' || monitors.some(({ id }) => id === monitor)
              ? []
              : [{ value: monitor, label: monitor }]),
            ...monitors.map(({ id }) => ({ value: id, label: nameOf(id) })),
          ]}
          onChange={(value) => setFilter({ monitor: value })}
        />
        <Select
          label={words.range}
          value={range}
          options={[any, ...ranges.map((value) => ({ value, label: words.ranges[value] }))]}
          onChange={(value) => setFilter({ range: value })}
        />
      </div>
      <Loaded query={newest}>
        {() =>
          items.length === 0 ? (
            <Nothing isFiltered={Object.values(filter).some((one) => one !== '')} clear={() => setFilter(noFilter)} />
          ) : (
            <>
              {failure !== null && <FailureNote failure={failure} />}
              <div class="wide">
                <table class="folding" aria-label={words.events}>
                  <thead>
                    <tr>
                      <th>{words.state}</th>
                      <th>{text.monitor}</th>
                      <th>{words.began}</th>
                      <th>{words.lasted}</th>
                      <th>
                        <span class="hidden">{text.acts}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((event) => (
                      <EventRow
                        key={event.id}
                        event={event}
                        name={nameOf(event.monitor_id)}
                        isAcknowledged={event.ack_at !== null || acknowledged.has(event.id)}
                        acknowledge={() => void acknowledge.run(event.id)}
                      />
                    ))}
                  </tbody>
                </table>
              </div>
              {hasOlder && (
                <button type="button" class="quiet" disabled={older.isBusy} onClick={() => void older.run()}>
                  {words.older}
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function EventRow(props: {
  readonly event: MonitorEvent;
  readonly name: string;
  readonly isAcknowledged: boolean;
  acknowledge(): void;
}) {
  const { event, name, isAcknowledged, acknowledge } = props;
  const words = monitorTexts();
  return (
    <tr>
      <td class="whole">
        <Pill look={event.type === 'down' ? 'bad' : 'warn'} word={words.health[event.type]} />
      </td>
      <td>
        <Link href={`/events/${event.id}`}>{name}</Link>{' '}
        {isAcknowledged && <span class="tag">{words.acknowledged}</span>}{' '}
        {event.is_false_positive && <span class="tag">{words.falsePositive}</span>}
        {event.reason !== null && <div class="small muted">{visible(event.reason)}</div>}
      </td>
      <td data-title={words.began}>
        <Time at={event.started_at} />
      </td>
      <td data-title={words.lasted}>
        {event.duration_sec === null ? words.goesOn : formatDuration(event.duration_sec)}
      </td>
      <td class="acts">
        {event.ended_at === null && !isAcknowledged && (
          <button type="button" class="quiet" onClick={acknowledge} aria-label={`${words.acknowledge}: ${name}`}>
            {words.acknowledge}
          </button>
        )}
      </td>
    </tr>
  );
}

function Nothing({ isFiltered, clear }: { readonly isFiltered: boolean; clear(): void }) {
  const text = eventTexts();
  return (
    <Empty>
      <p>{isFiltered ? common().nothingMatches : text.empty}</p>
      {isFiltered ? (
        <button type="button" class="quiet" onClick={clear}>
          {common().clearFilters}
        </button>
      ) : (
        <Link class="button quiet" href="/monitors">
          {monitorTexts().allMonitors}
        </Link>
      )}
    </Empty>
  );
}
