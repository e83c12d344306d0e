import { Link } from 'wouter-preact';
import type { listAllNodes } from '../../../src/modules/nodes/routes/list-all-nodes.js';
import type { settleLocation } from '../../../src/modules/nodes/routes/settle-location.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { countryName, formatDuration, formatNumber, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Acts, type AdminAct, said } from './acts.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';

type Node = DataOf<typeof listAllNodes>['items'][number];

const PAGE_SIZE = 50;
const noFilter = { status: '', version: '', quarantined: '', geo_mismatch: '', user_id: '', page: '1' };

/** Nodes of all owners. The address names the one whose facts and acts are open. */
export function NodesView() {
  const text = adminTexts();
  const [{ node: opened, ...filter }, setState] = useAddressState({ ...noFilter, node: '' });
  const query = useQuery(`nodes ${JSON.stringify(filter)}`, (signal) =>
    get<typeof listAllNodes>('/v1/admin/nodes', { query: { ...filter, page_size: PAGE_SIZE }, signal }),
  );
  const any = { value: '', label: common().all };
  const flag = [any, { value: 'true', label: common().yes }, { value: 'false', label: common().no }];
  return (
    <Part name="nodes">
      <div class="filters" role="search">
        <Select
          label={text.state}
          value={filter.status}
          options={[
            any,
            ...(['online', 'offline', 'draining', 'banned'] as const).map((value) => ({
              value,
              label: text.nodeStatuses[value],
            })),
          ]}
          onChange={(status) => setState({ status, page: '1' })}
        />
        <label class="choice">
          <span>{text.version}</span>
          <input
            type="search"
            size={10}
            value={filter.version}
            onInput={(event) => setState({ version: event.currentTarget.value.trim(), page: '1' })}
          />
        </label>
        <Select
          label={text.quarantineFilter}
          value={filter.quarantined}
          options={flag}
          onChange={(quarantined) => setState({ quarantined, page: '1' })}
        />
        <Select
          label={text.mismatchFilter}
          value={filter.geo_mismatch}
          options={flag}
          onChange={(geo_mismatch) => setState({ geo_mismatch, page: '1' })}
        />
        {filter.user_id !== '' && (
          <button type="button" class="quiet" onClick={() => setState({ user_id: '', page: '1' })}>
            {text.owner}: {filter.user_id} ✕
          </button>
        )}
      </div>
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            <Empty>
              {Object.values({ ...filter, page: '' }).join('') === '' ? (
                <p>{text.noNodes}</p>
              ) : (
                <>
                  <p>{common().nothingMatches}</p>
                  <button type="button" class="quiet" onClick={() => setState(noFilter)}>
                    {common().clearFilters}
                  </button>
                </>
              )}
            </Empty>
          ) : (
            <>
              <p class="small muted" role="status">
                {text.nodeCount(pagination?.total ?? items.length)}
              </p>
              <div class="wide">
                <table class="folding" aria-label={text.parts.nodes}>
                  <thead>
                    <tr>
                      <th>{text.state}</th>
                      <th>{common().name}</th>
                      <th>{text.owner}</th>
                      <th>{text.place}</th>
                      <th>{text.version}</th>
                      <th>{text.lastSeen}</th>
                      <th />
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((node) => (
                      <Row
                        key={node.id}
                        node={node}
                        isOpen={node.id === opened}
                        toggle={() => setState({ node: node.id === opened ? '' : node.id })}
                        reload={query.reload}
                      />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pages
                page={Number(filter.page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(page) => setState({ page: String(page) })}
              />
            </>
          )
        }
      </Loaded>
    </Part>
  );
}

const looks: Readonly<Record<Node['status'], Look>> = {
  online: 'good',
  offline: 'bad',
  draining: 'warn',
  banned: 'none',
};

function Row(props: { readonly node: Node; readonly isOpen: boolean; toggle(): void; reload(): void }) {
  const text = adminTexts();
  const { node, isOpen, toggle, reload } = props;
  return (
    <>
      <tr>
        <td class="whole">
          <Pill look={looks[node.status]} word={text.nodeStatuses[node.status]} />
        </td>
        <td>
          {visible(node.name)}
          {node.ban?.is_quarantine === true && <span class="tag">{text.quarantined}</span>}
          {node.geo_mismatch === true && <span class="tag">{text.mismatch}</span>}
          {node.upgrade !== null && node.upgrade.state !== 'done' && (
            <span class="tag">{text.upgradeStates[node.upgrade.state](node.upgrade.version)}</span>
          )}
        </td>
        <td data-title={text.owner}>
          <Link href={`/admin/users/${node.owner.user_id}`}>{visible(node.owner.email)}</Link>
        </td>
        <td data-title={text.place}>{placeOf(node)}</td>
        <td data-title={text.version}>{visible(node.version)}</td>
        <td data-title={text.lastSeen}>{node.last_seen_at === null ? '–' : <Time at={node.last_seen_at} isShort />}</td>
        <td class="acts">
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen}
            aria-label={`${text.manage} ${node.name}`}
            onClick={toggle}
          >
            {text.manage}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7}>
            <Acts acts={nodeActs(node, reload)} />
            <Facts node={node} />
          </td>
        </tr>
      )}
    </>
  );
}

function placeOf(place: {
  readonly country: string | null;
  readonly city: string | null;
  readonly asn: number | null;
}) {
  const parts = [place.city, place.country === null ? null : countryName(place.country), place.asn && `AS${place.asn}`];
  const known = parts.filter((part) => part !== null && part !== 0);
  return known.length === 0 ? '–' : visible(known.join(', '));
}

function Facts({ node }: { readonly node: Node }) {
  const text = adminTexts();
  const { ban, spool, upgrade, declared, derived, version_refused: refused } = node;
  return (
    <>
      <dl>
        <dt>ID</dt>
        <dd>
          <code>{node.id}</code>
        </dd>
        <dt>{text.machine}</dt>
        <dd>{visible(`${node.hostname}, ${node.os} ${node.arch}`)}</dd>
        <dt>{text.visibility}</dt>
        <dd>{text.visibilities[node.visibility]}</dd>
        {ban !== null && (
          <>
            <dt>{text.bannedSince}</dt>
            <dd>
              <Time at={ban.at} /> {ban.reason !== null && visible(ban.reason)}
            </dd>
          </>
        )}
        {declared !== undefined && (
          <>
            <dt>{text.declared}</dt>
            <dd>{placeOf(declared)}</dd>
          </>
        )}
        {derived !== undefined && derived !== null && (
          <>
            <dt>{text.derived}</dt>
            <dd>{placeOf(derived)}</dd>
          </>
        )}
        <dt>{text.enrolled}</dt>
        <dd>
          <Time at={node.since} />
        </dd>
        {spool !== null && spool.rows > 0 && (
          <>
            <dt>{text.spool}</dt>
            <dd>{text.spoolText(formatNumber(spool.rows), formatDuration(spool.oldest_seconds))}</dd>
          </>
        )}
        {upgrade !== null && (
          <>
            <dt>{text.upgradeFact}</dt>
            <dd>
              {text.upgradeStates[upgrade.state](upgrade.version)}{' '}
              {upgrade.error !== null && visible(upgrade.error.message)}
            </dd>
          </>
        )}
        {refused !== null && (
          <>
            <dt>{text.versionRefused}</dt>
            <dd>{visible(refused.agent_version)}</dd>
          </>
        )}
      </dl>
      <p>
        <Link href={`/admin/audit?node=${node.id}`}>{text.auditOfNode}</Link>
      </p>
    </>
  );
}

/** Acts that the state of the node allows. */
function nodeActs(node: Node, reload: () => void): readonly AdminAct[] {
  const text = adminTexts();
  const name = visible(node.name);
  const post = async (verb: string, body?: unknown) => {
    await act('POST', `/v1/admin/nodes/${node.id}/${verb}`, body === undefined ? {} : { body });
    reload();
  };
  const settle = (location: 'declared' | 'derived') => async () => {
    await act<typeof settleLocation>('PATCH', `/v1/admin/nodes/${node.id}`, { body: { location } });
    reload();
  };
  const place: readonly AdminAct[] = [
    ...(node.geo_mismatch === true
      ? [{ ...said(text.confirmPlace, name), isHarmless: true, perform: settle('declared') }]
      : []),
    ...(node.location_source === 'confirmed'
      ? [{ ...said(text.withdrawPlace, name), perform: settle('derived') }]
      : []),
  ];
  if (node.ban !== null)
    return [
      {
        ...said(node.ban.is_quarantine ? text.release : text.unban, name),
        isHarmless: true,
        perform: () => post('unban'),
      },
      ...place,
    ];
  return [
    node.is_draining
      ? { ...said(text.undrain, name), isHarmless: true, perform: () => post('undrain') }
      : { ...said(text.drain, name), perform: () => post('drain') },
    {
      ...said(text.upgrade, name),
      field: { label: text.version, hint: text.versionHint },
      isHarmless: true,
      perform: (version) => post('upgrade', { version }),
    },
    {
      ...said(text.ban, name),
      field: { label: text.reason, hint: text.banReasonHint },
      perform: (reason) => post('ban', { reason }),
    },
    ...place,
  ];
}
