import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { deleteMonitor, getMonitor } from '../../../src/modules/monitors/routes/monitors.js';
import type { testMonitor } from '../../../src/modules/monitors/routes/test-monitor.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, formatPercent, formatRelative, formatTime, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Copy } from '../../ui/copy.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { CheckList, CheckTable } from './checks.js';
import { EventList } from './events.js';
import { Health } from './health.js';
import { type MonitorDetail as Detail, type StatusAct, setStatus, typeName } from './monitor.js';
import { Pings } from './pings.js';
import { ResponseChart } from './response.js';
import { monitorTexts } from './texts.js';

/** One monitor: its state in a sentence, its measurements, its events, and what one can do with it. */
export function MonitorPage({
  params: { id = '' },
}: {
  readonly params: Readonly<Record<string, string | undefined>>;
}) {
  const query = useQuery(id, async (signal) => (await get<typeof getMonitor>(`/v1/monitors/${id}`, { signal })).data, {
    topics: ['monitors'],
  });
  return <Loaded query={query}>{(monitor) => <Shown monitor={monitor} reload={query.reload} />}</Loaded>;
}

function Shown({ monitor, reload }: { readonly monitor: Detail; reload(): void }) {
  const text = monitorTexts();
  const isHeartbeat = monitor.type === 'heartbeat';
  const [{ tab }, setState] = useAddressState({ tab: isHeartbeat ? 'pings' : 'response' });
  const tabs = [
    isHeartbeat ? { id: 'pings', label: text.pings } : { id: 'response', label: text.response },
    ...(isHeartbeat ? [] : [{ id: 'checks', label: text.checks }]),
    { id: 'events', label: text.events },
    { id: 'settings', label: text.settings },
  ];
  return (
    <article>
      <p class="small">
        <Link href="/monitors">{text.allMonitors}</Link>
      </p>
      <div class="row ends">
        <h1>{visible(monitor.name)}</h1>
        <Acts monitor={monitor} reload={reload} />
      </div>
      <div class="row">
        <Health monitor={monitor} />
        <span>{sentence(monitor)}</span>
      </div>
      {monitor.reason !== null && monitor.status === 'active' && <p>{visible(monitor.reason)}</p>}
      <p class="muted">
        {typeName(monitor.type)} {visible(monitor.target)} · {text.uptime}{' '}
        {monitor.uptime_percent === null ? '–' : formatPercent(monitor.uptime_percent, 3)}
      </p>
      <Tabs tabs={tabs} chosen={tab} choose={(chosen) => setState({ tab: chosen })} />
      {tab === 'response' && <ResponseChart id={monitor.id} />}
      {tab === 'checks' && <CheckList id={monitor.id} />}
      {tab === 'pings' && <Pings monitor={monitor} />}
      {tab === 'events' && <EventList id={monitor.id} />}
      {tab === 'settings' && <Settings monitor={monitor} />}
    </article>
  );
}

/** State of a monitor and since when. */
function sentence({ status, current_status: health, state_since: since }: Detail): string {
  const text = monitorTexts();
  if (status === 'paused') return text.pausedNow;
  if (status === 'archived') return text.archivedNow;
  const when = `${formatTime(since)} (${formatRelative(since)})`;
  return { up: text.upSince, down: text.downSince, degraded: text.degradedSince, unknown: text.unknownSince }[health](
    when,
  );
}

function Acts({ monitor, reload }: { readonly monitor: Detail; reload(): void }) {
  const text = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const [results, setResults] = useState<DataOf<typeof testMonitor> | null>(null);
  const change = useAct(async (verb: StatusAct) => {
    await setStatus(monitor.id, verb);
    reload();
  });
  const test = useAct(async () => {
    setResults((await act<typeof testMonitor>('POST', `/v1/monitors/${monitor.id}/test`)).data);
  });
  const isActive = monitor.status === 'active';
  const failure = change.failure ?? test.failure;
  return (
    <>
      <div class="row">
        {isActive && monitor.type !== 'heartbeat' && (
          <button type="button" class="quiet" disabled={test.isBusy} onClick={() => void test.run()}>
            {test.isBusy ? text.testing : text.testNow}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          disabled={change.isBusy}
          onClick={() => void change.run(isActive ? 'pause' : 'resume')}
        >
          {isActive ? text.pause : text.resume}
        </button>
        <Link class="button quiet" href={`/monitors/${monitor.id}/edit`}>
          {text.edit}
        </Link>
        {monitor.status !== 'archived' && (
          <button type="button" class="quiet" disabled={change.isBusy} onClick={() => void change.run('archive')}>
            {text.archive}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
          {text.delete}
        </button>
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      {results !== null && (
        <section class="raised whole-row" aria-live="polite">
          <h2>{text.testResults}</h2>
          <CheckTable checks={results.checks} />
          {results.waiting_nodes.length > 0 && <p>{text.waiting(results.waiting_nodes.length)}</p>}
        </section>
      )}
      {isDeleting && (
        <Confirm
          title={text.deleteTitle(visible(monitor.name))}
          act={text.delete}
          name={monitor.name.trim()}
          onAct={async () => {
            await act<typeof deleteMonitor>('DELETE', `/v1/monitors/${monitor.id}`);
            navigate('/monitors');
          }}
          onClose={() => setIsDeleting(false)}
        >
          <p>{text.deleteWhy}</p>
        </Confirm>
      )}
    </>
  );
}

function Settings({ monitor }: { readonly monitor: Detail }) {
  const text = monitorTexts();
  const { consecutive_fail: fails, fail_node_quorum: quorum } = monitor.trigger_rule;
  return (
    <section>
      <dl>
        <dt>{text.interval}</dt>
        <dd>{text.every(formatDuration(monitor.interval_s))}</dd>
        {monitor.type !== 'heartbeat' && (
          <>
            <dt>{text.rule}</dt>
            <dd>{text.ruleText(fails, quorum)}</dd>
            <dt>{text.nodes}</dt>
            <dd>
              {monitor.assigned_node_ids.length} / {monitor.node_count}
            </dd>
          </>
        )}
        <dt>{text.tags}</dt>
        <dd>{monitor.tags.length === 0 ? common().none : monitor.tags.map(visible).join(', ')}</dd>
      </dl>
      <h2>{text.config}</h2>
      <Copy text={JSON.stringify(monitor.config, null, 2)} />
    </section>
  );
}
