import { Link } from 'wouter-preact';
import type { getNode } from '../../../src/modules/nodes/routes/get-node.js';
import { get, searchOf } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatNumber, formatPercent, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { type NodeDetail, networkName, placeName } from './node.js';
import { NodeStatus } from './node-status.js';
import { nodeTexts } from './texts.js';

/** A node as everyone may see it. */
export function NodePage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = nodeTexts();
  const query = useQuery(id, async (signal) => (await get<typeof getNode>(`/v1/nodes/${id}`, { signal })).data);
  return (
    <Loaded query={query}>
      {(node) => (
        <article>
          <p class="small">
            <Link href="/nodes">{text.allNodes}</Link>
          </p>
          <div class="row ends">
            <h1>{visible(node.name)}</h1>
            {node.status === 'online' && (
              <Link class="button quiet" href={`/probe${searchOf({ node: node.id })}`}>
                {text.probeFrom}
              </Link>
            )}
          </div>
          <p>
            <NodeStatus node={node} />
          </p>
          <NodeFacts node={node} />
        </article>
      )}
    </Loaded>
  );
}

type Facts = Omit<NodeDetail, 'geo_mismatch' | 'declared' | 'derived'>;

/** Facts about a node: its place, its network, what it can measure, and how it judges itself. */
export function NodeFacts({ node }: { readonly node: Facts }) {
  const text = nodeTexts();
  const names: Readonly<Record<string, string>> = text.capability;
  const { lat, lon } = node;
  return (
    <>
      <dl>
        <dt>{text.place}</dt>
        <dd>{placeName(node)}</dd>
        <dt>{text.region}</dt>
        <dd>{node.region ?? '–'}</dd>
        <dt>{text.coordinates}</dt>
        <dd>{lat === null || lon === null ? '–' : `${formatNumber(lat, 1)}, ${formatNumber(lon, 1)}`}</dd>
        <dt>{text.source}</dt>
        <dd>{text.sources[node.location_source]}</dd>
        <dt>{text.network}</dt>
        <dd>{networkName(node)}</dd>
        <dt>{text.provider}</dt>
        <dd>{node.provider === null ? '–' : visible(node.provider)}</dd>
        <dt>{text.capabilities}</dt>
        <dd>{node.capabilities.map((name) => names[name] ?? visible(name)).join(', ') || common().none}</dd>
        <dt>{text.tags}</dt>
        <dd>{node.tags.map(visible).join(', ') || common().none}</dd>
        <dt>{text.uptime}</dt>
        <dd>{node.uptime_percent_30d === null ? '–' : formatPercent(node.uptime_percent_30d, 3)}</dd>
        <dt>{text.since}</dt>
        <dd>
          <Time at={node.since} />
        </dd>
        <dt>{text.id}</dt>
        <dd>
          <code>{node.id}</code>
        </dd>
      </dl>
      {node.self_test !== undefined && (
        <section>
          <h2>{text.selfTest}</h2>
          <dl>
            {node.self_test.checks.map(({ name, status, detail }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} ${status}`} class={status === 'failed' ? 'bad' : undefined}>
                {text.checkStates[status]}: <span lang="en">{visible(detail)}</span>
              </dd>,
            ])}
          </dl>
        </section>
      )}
    </>
  );
}
