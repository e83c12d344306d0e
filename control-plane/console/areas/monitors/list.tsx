import { Link } from 'wouter-preact';
import type { getBars } from '../../../src/modules/monitors/routes/bars.js';
import type { listMonitors } from '../../../src/modules/monitors/routes/monitors.js';
import { type DataOf, get } from '../../api/call.js';
import { type Query, useQuery } from '../../api/query.js';
import { formatPercent, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { Health } from './health.js';
import { type Monitor, monitorTypes, setStatus, statusAfter, typeName } from './monitor.js';
import { monitorTexts } from './texts.js';
import { UptimeBar } from './uptime-bar.js';

type List = DataOf<typeof listMonitors>;

const PAGE_SIZE = 100;
const noFilter = { q: '', state: '', type: '', tag: '', page: '1' };

/** Every monitor of the account, those that fail first. */
export function MonitorList() {
  const text = monitorTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const { q, state, type, tag, page } = filter;
  const isPaused = state === 'paused' || state === 'archived';
  const status = isPaused ? state : '';
  const query = {
    q,
    type,
    tag,
    status,
    current_status: isPaused ? '' : state,
    page,
    page_size: PAGE_SIZE,
    sort: 'attention',
  };
  const list = useQuery(
    JSON.stringify(query),
    async (signal) => (await get<typeof listMonitors>('/v1/monitors', { query, signal })).data,
    { topics: ['monitors'] },
  );
  const isFiltered = q + state + type + tag !== '';
  const states = [
    { value: '', label: text.any },
    ...(['down', 'degraded', 'unknown', 'up'] as const).map((value) => ({ value, label: text.health[value] })),
    ...(['paused', 'archived'] as const).map((value) => ({ value, label: text.status[value] })),
  ];
  const types = [{ value: '', label: text.any }, ...monitorTypes.map((value) => ({ value, label: typeName(value) }))];
  return (
    <section>
      <div class="row ends">
        <h1>{text.title}</h1>
        <Link class="button" href="/monitors/new">
          {text.create}
        </Link>
      </div>
      <div class="filters" role="search">
        <label class="choice">
          <span>{text.search}</span>
          <input
            type="search"
            data-search
            value={q}
            onInput={(event) => setFilter({ q: event.currentTarget.value, page: '1' })}
          />
        </label>
        <Select
          label={text.state}
          value={state}
          options={states}
          onChange={(value) => setFilter({ state: value, page: '1' })}
        />
        <Select
          label={text.type}
          value={type}
          options={types}
          onChange={(value) => setFilter({ type: value, page: '1' })}
        />
        {tag !== '' && (
          <button type="button" class="quiet" onClick={() => setFilter({ tag: '' })}>
            {text.tag}: {tag} ✕
          </button>
        )}
      </div>
      <Loaded query={list}>
        {(data) =>
          data.total === 0 ? (
            <Nothing isFiltered={isFiltered} clear={() => setFilter(noFilter)} />
          ) : (
            <>
              <p class="small muted" role="status">
                {text.count(data.total)}
              </p>
              <Table data={data} list={list} chooseTag={(chosen) => setFilter({ tag: chosen, page: '1' })} />
              <Pages
                page={data.page}
                size={data.limit}
                total={data.total}
                onPage={(number) => setFilter({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Nothing({ isFiltered, clear }: { readonly isFiltered: boolean; clear(): void }) {
  const text = monitorTexts();
  if (isFiltered)
    return (
      <Empty>
        <p>{common().nothingMatches}</p>
        <button type="button" class="quiet" onClick={clear}>
          {common().clearFilters}
        </button>
      </Empty>
    );
  return (
    <Empty>
      <p>{text.emptyWhy}</p>
      <Link class="button" href="/monitors/new">
        {text.create}
      </Link>
    </Empty>
  );
}

function Table({
  data,
  list,
  chooseTag,
}: {
  readonly data: List;
  readonly list: Query<List>;
  chooseTag(tag: string): void;
}) {
  const text = monitorTexts();
  const { failure, run } = useAct(async (monitor: Monitor) => {
    const verb = monitor.status === 'active' ? 'pause' : 'resume';
    // shown before the answer, and taken back with it if that refuses
    list.show({
      ...data,
      items: data.items.map((one) => (one.id === monitor.id ? { ...one, status: statusAfter[verb] } : one)),
    });
    try {
      await setStatus(monitor.id, verb);
    } catch (error) {
      list.show(data);
      throw error;
    }
    list.reload();
  });
  const ids = data.items.map(({ id }) => id).join();
  const bars = useQuery(ids, async (signal) => {
    const { data: found } = await get<typeof getBars>('/v1/monitors/history', {
      query: { ids, window: '30d' },
      signal,
    });
    return new Map(found.items.map((item) => [item.monitor_id, item]));
  });
  return (
    <div class="wide">
      {failure !== null && <FailureNote failure={failure} />}
      <table class="folding" aria-label={text.title}>
        <thead>
          <tr>
            <th>{text.state}</th>
            <th>{common().name}</th>
            <th>{text.target}</th>
            <th class="number">{text.uptime}</th>
            <th class="bars">{text.days}</th>
            <th>{text.lastCheck}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {data.items.map((monitor) => (
            <tr key={monitor.id}>
              <td class="whole">
                <Health monitor={monitor} />
              </td>
              <td>
                <Link href={`/monitors/${monitor.id}`}>{visible(monitor.name)}</Link>
                {monitor.tags.map((one) => (
                  <button key={one} type="button" class="tag" onClick={() => chooseTag(one)}>
                    {visible(one)}
                  </button>
                ))}
                {monitor.reason !== null && monitor.status === 'active' && (
                  <div class="small muted">{visible(monitor.reason)}</div>
                )}
              </td>
              <td>
                <span class="small muted">{typeName(monitor.type)}</span> {visible(monitor.target)}
              </td>
              <td class="number" data-title={text.uptime}>
                {monitor.uptime_percent === null ? '–' : formatPercent(monitor.uptime_percent)}
              </td>
              <td class="bars">
                <UptimeBar history={bars.data?.get(monitor.id) ?? null} />
              </td>
              <td class="whole" data-title={text.lastCheck}>
                {monitor.last_check_at === null ? '–' : <Time at={monitor.last_check_at} isShort />}
              </td>
              <td class="acts">
                <button
                  type="button"
                  class="quiet"
                  onClick={() => void run(monitor)}
                  aria-label={`${monitor.status === 'active' ? text.pause : text.resume} ${monitor.name}`}
                >
                  {monitor.status === 'active' ? text.pause : text.resume}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
