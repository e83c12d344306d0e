import { Link } from 'wouter-preact';
import type { listMonitors } from '../../../src/modules/monitors/routes/monitors.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import type { View } from '../../shell/areas.js';
import { shellTexts } from '../../shell/texts.js';
import { formatNumber, visible } from '../../texts/format.js';
import { Empty, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { overviewTexts } from './texts.js';

const healths = ['down', 'degraded', 'unknown', 'up'] as const;

/** Monitors that fail, at most this many. */
const SHOWN = 20;

/** The state of everything at a glance: how many monitors are in which state, and those that fail now. */
function Overview() {
  const text = overviewTexts();
  const query = useQuery(
    'overview',
    async (signal) => {
      const count = async (current_status: string) => {
        const filter = { status: 'active', current_status, page_size: 1 };
        return (await get<typeof listMonitors>('/v1/monitors', { query: filter, signal })).data.total;
      };
      const first = get<typeof listMonitors>('/v1/monitors', {
        query: { sort: 'attention', page_size: SHOWN },
        signal,
      });
      const [counts, { data }] = await Promise.all([Promise.all(healths.map(count)), first]);
      const failing = data.items.filter(
        (monitor) => monitor.status === 'active' && ['down', 'degraded'].includes(monitor.current_status),
      );
      return { counts, failing, total: data.total };
    },
    { topics: ['monitors'] },
  );
  return (
    <section>
      <h1>{shellTexts().overview}</h1>
      <Loaded query={query}>
        {({ counts, failing, total }) =>
          total === 0 ? (
            <Empty>
              <h2>{text.firstTitle}</h2>
              <p>{text.first}</p>
              <Link class="button" href="/monitors/new">
                {text.firstMonitor}
              </Link>
            </Empty>
          ) : (
            <>
              <div class="figures">
                {healths.map((health, index) => (
                  <Link key={health} href={`/monitors?state=${health}`}>
                    <strong>{formatNumber(counts[index] ?? 0)}</strong> {text[health]}
                  </Link>
                ))}
              </div>
              <h2>{text.open}</h2>
              {failing.length === 0 ? <p>{text.nothing}</p> : <Failing monitors={failing} />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

type Monitor = Awaited<ReturnType<typeof get<typeof listMonitors>>>['data']['items'][number];

function Failing({ monitors }: { readonly monitors: readonly Monitor[] }) {
  const text = overviewTexts();
  return (
    <table class="folding" aria-label={text.open}>
      <thead>
        <tr>
          <th>{text.monitor}</th>
          <th>{text.since}</th>
          <th>{text.reason}</th>
        </tr>
      </thead>
      <tbody>
        {monitors.map((monitor) => (
          <tr key={monitor.id}>
            <td>
              <Pill
                look={monitor.current_status === 'down' ? 'bad' : 'warn'}
                word={monitor.current_status === 'down' ? text.down : text.degraded}
              />{' '}
              <Link href={`/monitors/${monitor.id}`}>{visible(monitor.name)}</Link>
            </td>
            <td>
              <Time at={monitor.state_since} />
            </td>
            <td>{monitor.reason !== null && visible(monitor.reason)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const views: readonly View[] = [{ path: '/', view: Overview }];
