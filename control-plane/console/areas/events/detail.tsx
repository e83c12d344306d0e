import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { listAlertEvents } from '../../../src/modules/alerts/routes/alert-events.js';
import type { acknowledgeMonitorEvent } from '../../../src/modules/monitors/routes/event-acts.js';
import type { getMonitorEvent } from '../../../src/modules/monitors/routes/events.js';
import { act, get } from '../../api/call.js';
import { type Query, useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { AlertTable } from '../alerts/alert-table.js';
import { useMonitorNames } from '../monitors/names.js';
import { monitorTexts } from '../monitors/texts.js';
import { eventTexts } from './texts.js';
import type { MonitorEvent } from './timeline.js';

/** One event: what happened, who did what about it, and the alerts that it opened. */
export function EventPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getMonitorEvent>(`/v1/monitor-events/${id}`, { signal })).data,
  );
  return <Loaded query={query}>{(event) => <Shown event={event} query={query} />}</Loaded>;
}

function Shown({ event, query }: { readonly event: MonitorEvent; readonly query: Query<MonitorEvent> }) {
  const text = eventTexts();
  const words = monitorTexts();
  const name = useMonitorNames().nameOf(event.monitor_id);
  return (
    <article>
      <p class="small">
        <Link href="/events">{text.allEvents}</Link>
      </p>
      <h1>{text.heading(name, words.health[event.type])}</h1>
      <div class="row">
        <Pill look={event.type === 'down' ? 'bad' : 'warn'} word={words.health[event.type]} />
        {event.ack_at !== null && <span class="tag">{words.acknowledged}</span>}
        {event.is_false_positive && <span class="tag">{words.falsePositive}</span>}
        {event.disputed && <span class="tag">{text.disputed}</span>}
      </div>
      {event.reason !== null && <p>{visible(event.reason)}</p>}
      <Acts event={event} query={query} />
      <h2>{text.whatHappened}</h2>
      <dl>
        <dt>{text.monitor}</dt>
        <dd>
          <Link href={`/monitors/${event.monitor_id}`}>{name}</Link>
        </dd>
        <dt>{words.began}</dt>
        <dd>
          <Time at={event.started_at} />
        </dd>
        {event.ack_at !== null && (
          <>
            <dt>{text.acknowledgedAt}</dt>
            <dd>
              <Time at={event.ack_at} />
            </dd>
          </>
        )}
        {event.resolved_at !== null && (
          <>
            <dt>{text.resolvedAt}</dt>
            <dd>
              <Time at={event.resolved_at} />
            </dd>
          </>
        )}
        <dt>{text.endedAt}</dt>
        <dd>{event.ended_at === null ? words.goesOn : <Time at={event.ended_at} />}</dd>
        {event.duration_sec !== null && (
          <>
            <dt>{words.lasted}</dt>
            <dd>{formatDuration(event.duration_sec)}</dd>
          </>
        )}
        <dt>{text.affectedNodes}</dt>
        <dd>
          {event.affected_nodes.length === 0 && common().none}
          {event.affected_nodes.map((id) => (
            <div key={id}>
              <Link href={`/nodes/${id}`}>{id}</Link>
            </div>
          ))}
        </dd>
      </dl>
      {event.backfilled && <p class="muted">{text.backfilled}</p>}
      <Notes event={event} query={query} />
      <AlertsOf event={event} />
    </article>
  );
}

type Verb = 'ack' | 'resolve' | 'false-positive';

function Acts({ event, query }: { readonly event: MonitorEvent; readonly query: Query<MonitorEvent> }) {
  const text = eventTexts();
  const words = monitorTexts();
  const { isBusy, failure, run } = useAct(async (verb: Verb, body?: object) => {
    // an acknowledgement is shown before the answer, and taken back if that refuses
    if (verb === 'ack') query.show({ ...event, ack_at: new Date().toISOString() });
    try {
      // every act on an event answers the event
      const { data } = await act<typeof acknowledgeMonitorEvent>('POST', `/v1/monitor-events/${event.id}/${verb}`, {
        body,
      });
      query.show(data);
    } catch (error) {
      query.show(event);
      throw error;
    }
  });
  const isOpen = event.ended_at === null;
  return (
    <>
      <div class="row">
        {isOpen && event.ack_at === null && (
          <button type="button" disabled={isBusy} onClick={() => void run('ack')}>
            {words.acknowledge}
          </button>
        )}
        {isOpen && event.resolved_at === null && (
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run('resolve')}>
            {words.resolve}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          disabled={isBusy}
          onClick={() => void run('false-positive', { is_false_positive: !event.is_false_positive })}
        >
          {event.is_false_positive ? text.notFalsePositive : text.markFalsePositive}
        </button>
      </div>
      {failure !== null && <FailureNote failure={failure} />}
    </>
  );
}

function Notes({ event, query }: { readonly event: MonitorEvent; readonly query: Query<MonitorEvent> }) {
  const text = eventTexts();
  const [notes, setNotes] = useState(event.notes ?? '');
  useEffect(() => setNotes(event.notes ?? ''), [event.notes]);
  const { isBusy, failure, run } = useAct(async () => {
    const body = { notes: notes.trim() === '' ? null : notes };
    const { data } = await act<typeof acknowledgeMonitorEvent>('POST', `/v1/monitor-events/${event.id}/notes`, {
      body,
    });
    query.show(data);
  });
  return (
    <form
      class="stacked"
      onSubmit={(submission) => {
        submission.preventDefault();
        void run();
      }}
    >
      <h2>{text.notes}</h2>
      <Field label={text.notes} failure={failure} name="notes">
        <textarea maxLength={5_000} value={notes} onInput={(input) => setNotes(input.currentTarget.value)} />
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <p>
        <button type="submit" class="quiet" disabled={isBusy || notes === (event.notes ?? '')}>
          {common().save}
        </button>
      </p>
    </form>
  );
}

function AlertsOf({ event }: { readonly event: MonitorEvent }) {
  const text = eventTexts();
  const query = useQuery(`${event.id} alerts`, async (signal) => {
    const { data } = await get<typeof listAlertEvents>('/v1/alert-events', {
      query: { monitor_id: event.monitor_id, page_size: 100 },
      signal,
    });
    return data.items.filter(({ metadata }) => metadata.monitor_event_id === event.id);
  });
  return (
    <>
      <h2>{text.alerts}</h2>
      <Loaded query={query}>
        {(alerts) => (alerts.length === 0 ? <p>{text.noAlerts}</p> : <AlertTable alerts={alerts} />)}
      </Loaded>
    </>
  );
}
