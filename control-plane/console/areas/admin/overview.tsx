import { Link } from 'wouter-preact';
import type { listUsers } from '../../../src/modules/accounts/routes/admin-users.js';
import type { listJobs } from '../../../src/modules/jobs/routes/list-jobs.js';
import type {
  acceptReputationList,
  listReputationLists,
} from '../../../src/modules/lookups/routes/reputation-lists.js';
import type { listAllNodes } from '../../../src/modules/nodes/routes/list-all-nodes.js';
import type { listRollouts } from '../../../src/modules/rollouts/routes/read-rollouts.js';
import { act, type DataOf, get, searchOf } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatNumber, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Acts, said } from './acts.js';
import { Part } from './part.js';
import { RolloutTable } from './rollouts.js';
import { adminTexts } from './texts.js';

type List = DataOf<typeof listReputationLists>['items'][number];
type Filter = Readonly<Record<string, string>>;

/** State of the installation: counts that lead to their lists, the newest roll-out, and lists of addresses. */
export function OverviewView() {
  return (
    <Part name="overview">
      <Counts />
      <NewestRollout />
      <Lists />
    </Part>
  );
}

const figures = [
  { name: 'activeUsers', of: 'users', filter: { status: 'active' } },
  { name: 'disabledUsers', of: 'users', filter: { status: 'disabled' } },
  { name: 'deletingUsers', of: 'users', filter: { status: 'deleting' } },
  { name: 'onlineNodes', of: 'nodes', filter: { status: 'online' } },
  { name: 'offlineNodes', of: 'nodes', filter: { status: 'offline' } },
  { name: 'drainingNodes', of: 'nodes', filter: { status: 'draining' } },
  { name: 'bannedNodes', of: 'nodes', filter: { status: 'banned' } },
  { name: 'quarantinedNodes', of: 'nodes', filter: { quarantined: 'true' } },
  { name: 'misplacedNodes', of: 'nodes', filter: { geo_mismatch: 'true' } },
  { name: 'waitingJobs', of: 'jobs', filter: { state: 'waiting' } },
  { name: 'deadJobs', of: 'jobs', filter: { state: 'dead' } },
] as const;

function Counts() {
  const text = adminTexts();
  const query = useQuery('figures', (signal) =>
    Promise.all(figures.map(({ of, filter }) => countOf(of, filter, signal))),
  );
  return (
    <Loaded query={query}>
      {(counts) => (
        <div class="figures">
          {figures.map(({ name, of, filter }, index) => (
            <Link key={name} href={`/admin/${of}${searchOf(filter)}`}>
              <strong>{formatNumber(counts[index] ?? 0)}</strong>
              {text.figures[name]}
            </Link>
          ))}
        </div>
      )}
    </Loaded>
  );
}

/** Number of users, nodes or jobs that match: the API counts them for their lists. */
async function countOf(of: 'users' | 'nodes' | 'jobs', filter: Filter, signal: AbortSignal): Promise<number> {
  const { pagination } = await get<typeof listUsers | typeof listAllNodes | typeof listJobs>(`/v1/admin/${of}`, {
    query: { ...filter, page_size: 1 },
    signal,
  });
  return pagination?.total ?? 0;
}

function NewestRollout() {
  const text = adminTexts();
  const query = useQuery(
    'newest rollout',
    async (signal) =>
      (await get<typeof listRollouts>('/v1/admin/rollouts', { query: { page_size: 1 }, signal })).data.items,
  );
  return (
    <Loaded query={query}>
      {(rollouts) =>
        rollouts.length > 0 && (
          <>
            <h2>{text.newestRollout}</h2>
            <RolloutTable rollouts={rollouts} />
          </>
        )
      }
    </Loaded>
  );
}

/** Lists of addresses for the reputation of addresses; nothing on an installation without any. */
function Lists() {
  const text = adminTexts();
  const query = useQuery(
    'lists',
    async (signal) => (await get<typeof listReputationLists>('/v1/admin/lists', { signal })).data.items,
  );
  return (
    <Loaded query={query}>
      {(lists) =>
        lists.length > 0 && (
          <>
            <h2>{text.lists}</h2>
            <div class="wide">
              <table class="folding" aria-label={text.lists}>
                <thead>
                  <tr>
                    <th>{text.state}</th>
                    <th>{common().name}</th>
                    <th>{text.size}</th>
                    <th>{text.lastRead}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {lists.map((list) => (
                    <ListRow key={list.name} list={list} reload={query.reload} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )
      }
    </Loaded>
  );
}

function ListRow({ list, reload }: { readonly list: List; reload(): void }) {
  const text = adminTexts();
  const { name, refused_version: refused } = list;
  return (
    <tr>
      <td class="whole">
        <Pill look={list.is_current ? 'good' : 'warn'} word={list.is_current ? text.counts : text.countsNot} />
      </td>
      <td>
        {name}
        {list.last_error !== null && <div class="small bad">{visible(list.last_error)}</div>}
      </td>
      <td>{list.version !== null && text.entries(list.version.entries)}</td>
      <td>{list.checked_at !== null && <Time at={list.checked_at} isShort />}</td>
      <td>
        {refused !== null && refused.refusal !== null && (
          <>
            <span class="small warn">
              {text.refusals[refused.refusal]} {text.entries(refused.entries)}
            </span>
            <Acts
              acts={[
                {
                  ...said(text.accept, name),
                  perform: async () => {
                    await act<typeof acceptReputationList>('POST', `/v1/admin/lists/${name}/accept`);
                    reload();
                  },
                },
              ]}
            />
          </>
        )}
      </td>
    </tr>
  );
}
