import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type {
  acknowledgeAlertEvent,
  getAlertEvent,
  listAlertEvents,
  resolveAlertEvent,
} from '../../../src/modules/alerts/routes/alert-events.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from '../monitors/texts.js';
import { AlertStatus, AlertTable } from './alert-table.js';
import { DeliveryTable } from './deliveries.js';
import { Back, Head } from './head.js';
import { alertTexts } from './texts.js';

const noFilter = { status: '', severity: '', page: '1' };

/** Alerts of every policy, newest first. */
export function AlertList() {
  const text = alertTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const { status, severity, page } = filter;
  const query = useQuery(`alerts ${JSON.stringify(filter)}`, async (signal) => {
    return (
      await get<typeof listAlertEvents>('/v1/alert-events', {
        query: { status, severity, page, page_size: 50 },
        signal,
      })
    ).data;
  });
  const any = { value: '', label: common().all };
  return (
    <section>
      <Head part="events" />
      <div class="filters" role="search">
        <Select
          label={text.status}
          value={status}
          options={[any, ...Object.entries(text.statuses).map(([value, label]) => ({ value, label }))]}
          onChange={(value) => setFilter({ status: value, page: '1' })}
        />
        <Select
          label={text.severity}
          value={severity}
          options={[any, ...Object.entries(text.severities).map(([value, label]) => ({ value, label }))]}
          onChange={(value) => setFilter({ severity: value, page: '1' })}
        />
      </div>
      <Loaded query={query}>
        {({ items, total, page: number, page_size: size }) => {
          if (total > 0)
            return (
              <>
                <AlertTable alerts={items} />
                <Pages page={number} size={size} total={total} onPage={(one) => setFilter({ page: String(one) })} />
              </>
            );
          const isFiltered = status + severity !== '';
          return (
            <Empty>
              <p>{isFiltered ? common().nothingMatches : text.noAlerts}</p>
              {isFiltered ? (
                <button type="button" class="quiet" onClick={() => setFilter(noFilter)}>
                  {common().clearFilters}
                </button>
              ) : (
                <Link class="button quiet" href="/alerts/policies">
                  {text.parts.policies}
                </Link>
              )}
            </Empty>
          );
        }}
      </Loaded>
    </section>
  );
}

/** One alert: its state, its timeline, and the messages about it. */
export function AlertPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = alertTexts();
  const words = monitorTexts();
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getAlertEvent>(`/v1/alert-events/${id}`, { signal })).data,
  );
  const [note, setNote] = useState('');
  const { isBusy, failure, run } = useAct(async (verb: 'acknowledge' | 'resolve') => {
    const body = verb === 'acknowledge' ? { note: note.trim() === '' ? null : note } : undefined;
    const before = query.data;
    if (verb === 'acknowledge' && before !== null) query.show({ ...before, status: 'acknowledged' });
    try {
      await act<typeof acknowledgeAlertEvent | typeof resolveAlertEvent>('POST', `/v1/alert-events/${id}/${verb}`, {
        body,
      });
    } catch (error) {
      if (before !== null) query.show(before);
      throw error;
    }
    query.reload();
  });
  return (
    <Loaded query={query}>
      {(alert) => (
        <article>
          <Back part="events" />
          <h1>
            {visible(alert.metadata.monitor.name)}: {text.types[alert.type]}
          </h1>
          <div class="row">
            <AlertStatus status={alert.status} />
            <span>{text.severities[alert.metadata.severity]}</span>
            {alert.metadata.held_by.map((hold) => (
              <span key={hold} class="tag">
                {text.holds[hold]}
              </span>
            ))}
          </div>
          {alert.metadata.reason !== null && <p>{visible(alert.metadata.reason)}</p>}
          <p>
            <Link href={`/monitors/${alert.monitor_id}`}>{text.monitor}</Link>
            {alert.metadata.monitor_event_id !== null && (
              <>
                {' · '}
                <Link href={`/events/${alert.metadata.monitor_event_id}`}>{text.itsEvent}</Link>
              </>
            )}
          </p>
          {alert.status !== 'resolved' && (
            <div class="filters">
              {alert.status === 'firing' && (
                <>
                  <label class="choice">
                    <span>{text.note}</span>
                    <input maxLength={500} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
                  </label>
                  <button type="button" disabled={isBusy} onClick={() => void run('acknowledge')}>
                    {words.acknowledge}
                  </button>
                </>
              )}
              <button type="button" class="quiet" disabled={isBusy} onClick={() => void run('resolve')}>
                {words.resolve}
              </button>
            </div>
          )}
          {failure !== null && <FailureNote failure={failure} />}
          <h2>{text.timeline}</h2>
          <ol>
            {alert.timeline.map(({ at, what, details }, index) => (
              <li key={index}>
                <Time at={at} /> <strong lang="en">{what.replaceAll('_', ' ')}</strong>{' '}
                <span class="small muted">{visible(detailsText(details))}</span>
              </li>
            ))}
          </ol>
          <h2>{text.parts.deliveries}</h2>
          {alert.deliveries.length === 0 ? (
            <p>{text.noDeliveries}</p>
          ) : (
            <DeliveryTable deliveries={alert.deliveries} reload={query.reload} />
          )}
        </article>
      )}
    </Loaded>
  );
}

function detailsText(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
