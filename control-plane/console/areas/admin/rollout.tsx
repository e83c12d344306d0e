import type { abortRollout, pauseRollout, resumeRollout } from '../../../src/modules/rollouts/routes/change-rollout.js';
import type { getRollout, listRolloutNodes } from '../../../src/modules/rollouts/routes/read-rollouts.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { countryName, formatDuration, formatNumber, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Acts, type AdminAct, said } from './acts.js';
import { Part } from './part.js';
import { progressOf, type Rollout, RolloutState } from './rollouts.js';
import { adminTexts } from './texts.js';

const PAGE_SIZE = 100;
const nodeStates = ['waiting', 'requested', 'done', 'failed', 'skipped'] as const;

/** One roll-out: how far it is, its nodes, and the acts that stop it. */
export function RolloutPage({
  params: { id = '' },
}: {
  readonly params: Readonly<Record<string, string | undefined>>;
}) {
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getRollout>(`/v1/admin/rollouts/${id}`, { signal })).data,
  );
  return (
    <Part>
      <Loaded query={query}>
        {(rollout) => (
          <>
            <Shown rollout={rollout} show={query.show} />
            <Nodes id={id} />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Shown({ rollout, show }: { readonly rollout: Rollout; show(rollout: Rollout): void }) {
  const text = adminTexts();
  const { countries = [], tags = [] } = rollout.selection;
  const selected = [...countries.map(countryName), ...tags.map(visible)].join(', ');
  const run = (name: 'pause' | 'resume' | 'abort') => async () =>
    show(
      (
        await act<typeof pauseRollout | typeof resumeRollout | typeof abortRollout>(
          'POST',
          `/v1/admin/rollouts/${rollout.id}/${name}`,
        )
      ).data,
    );
  const isOver = rollout.state === 'done' || rollout.state === 'aborted';
  const acts: readonly AdminAct[] = isOver
    ? []
    : [
        rollout.state === 'running'
          ? { ...said(text.pauseRollout, rollout.version), isHarmless: true, perform: run('pause') }
          : { ...said(text.resumeRollout, rollout.version), isHarmless: true, perform: run('resume') },
        { ...said(text.abortRollout, rollout.version), perform: run('abort') },
      ];
  return (
    <>
      <div class="row ends">
        <h1>{text.rolloutOf(rollout.version)}</h1>
        <Acts acts={acts} />
      </div>
      <div class="row">
        <RolloutState rollout={rollout} />
        <span>{progressOf(rollout)}</span>
      </div>
      {rollout.state === 'halted' && <p class="bad">{text.haltedNote(rollout.max_failures)}</p>}
      <dl>
        <dt>{text.stage}</dt>
        <dd>
          {rollout.stage} / {rollout.stages.length} ({rollout.stages.map((share) => `${share} %`).join(', ')})
        </dd>
        <dt>{text.pauseBetween}</dt>
        <dd>{formatDuration(rollout.pause_s)}</dd>
        <dt>{text.maxFailures}</dt>
        <dd>{formatNumber(rollout.max_failures)}</dd>
        <dt>{text.selection}</dt>
        <dd>{selected === '' ? common().all : selected}</dd>
        <dt>{text.started}</dt>
        <dd>
          <Time at={rollout.created_at} />
        </dd>
      </dl>
    </>
  );
}

type RolloutNode = DataOf<typeof listRolloutNodes>['items'][number];

const looks: Readonly<Record<RolloutNode['state'], Look>> = {
  waiting: 'none',
  requested: 'warn',
  done: 'good',
  failed: 'bad',
  skipped: 'none',
};

function Nodes({ id }: { readonly id: string }) {
  const text = adminTexts();
  const [filter, setFilter] = useAddressState({ state: '', page: '1' });
  const query = useQuery(`${id} ${JSON.stringify(filter)}`, (signal) =>
    get<typeof listRolloutNodes>(`/v1/admin/rollouts/${id}/nodes`, {
      query: { ...filter, page_size: PAGE_SIZE },
      signal,
    }),
  );
  return (
    <>
      <h2>{text.parts.nodes}</h2>
      <div class="filters" role="search">
        <Select
          label={text.state}
          value={filter.state}
          options={[
            { value: '', label: common().all },
            ...nodeStates.map((value) => ({ value, label: text.rolloutNodeStates[value] })),
          ]}
          onChange={(state) => setFilter({ state, page: '1' })}
        />
      </div>
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            <p>{common().nothingMatches}</p>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text.parts.nodes}>
                <tbody>
                  {items.map((node) => (
                    <tr key={node.node_id}>
                      <td class="whole">
                        <Pill look={looks[node.state]} word={text.rolloutNodeStates[node.state]} />
                      </td>
                      <td>{visible(node.name ?? node.node_id)}</td>
                      <td>{node.error !== null && visible(node.error)}</td>
                      <td>{node.ended_at !== null && <Time at={node.ended_at} isShort />}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <Pages
                page={Number(filter.page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(page) => setFilter({ page: String(page) })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  );
}
