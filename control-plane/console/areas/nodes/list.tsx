import { Link } from 'wouter-preact';
import { useQuery } from '../../api/query.js';
import { countryName, formatPercent, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, Loaded } from '../../ui/states.js';
import { NodeMap } from './map.js';
import { countsOf, everyNode, type Node, networkName, placeName } from './node.js';
import { NodeStatus } from './node-status.js';
import { nodeTexts } from './texts.js';

const PAGE_SIZE = 100;
const noFilter = { q: '', country: '', state: '', asn: '', page: '1' };
type Filter = typeof noFilter;

/** Every node that the person may use, online ones first. */
export function NodeList() {
  const text = nodeTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const query = useQuery('nodes', everyNode);
  return (
    <section>
      <div class="row ends">
        <h1>{text.title}</h1>
        <Link class="button quiet" href="/my-nodes/enroll">
          {text.enroll}
        </Link>
      </div>
      <Loaded query={query}>
        {(nodes) =>
          nodes.length === 0 ? (
            <Empty>
              <p>{text.emptyWhy}</p>
              <Link class="button" href="/my-nodes/enroll">
                {text.enroll}
              </Link>
            </Empty>
          ) : (
            <>
              <Countries
                nodes={nodes}
                chosen={filter.country}
                choose={(country) => setFilter({ country, page: '1' })}
              />
              <Filters nodes={nodes} filter={filter} change={(changes) => setFilter({ ...changes, page: '1' })} />
              <Found
                nodes={nodes.filter((node) => isWanted(node, filter))}
                page={Number(filter.page)}
                setPage={(page) => setFilter({ page: String(page) })}
                clear={() => setFilter(noFilter)}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function isWanted(node: Node, { q, country, state, asn }: Filter): boolean {
  const { name, city, provider, isp, tags } = node;
  const words = [name, city, provider, isp, ...tags].filter((word) => word !== null);
  return (
    (country === '' || node.country === country) &&
    (state === '' || node.status === state) &&
    (asn === '' || String(node.asn) === asn.replace(/^as/i, '')) &&
    (q === '' || words.some((word) => word.toLowerCase().includes(q.toLowerCase())))
  );
}

interface CountriesProps {
  readonly nodes: readonly Node[];
  readonly chosen: string;
  choose(country: string): void;
}

/** How many nodes are online in each country, and a way to see only those. */
function Countries({ nodes, chosen, choose }: CountriesProps) {
  const text = nodeTexts();
  const online = nodes.filter(({ status }) => status === 'online');
  const onlineIn = new Map(countsOf(online, (node) => node.country).map(({ value, count }) => [value, count]));
  const countries = countsOf(nodes, (node) => node.country).map(({ value, count }) => ({
    country: value,
    online: onlineIn.get(value) ?? 0,
    all: count,
  }));
  const summary = text.count(online.length, nodes.length);
  return (
    <section aria-label={text.countries}>
      <p role="status">{summary}</p>
      <NodeMap label={summary} countries={countries} />
      <div class="row tight">
        {countries.map(({ country, online: some, all }) => (
          <button
            key={country}
            type="button"
            class="tag"
            aria-pressed={country === chosen}
            onClick={() => choose(country === chosen ? '' : country)}
          >
            {countryName(country)} {some}/{all}
          </button>
        ))}
      </div>
    </section>
  );
}

interface FiltersProps {
  readonly nodes: readonly Node[];
  readonly filter: Filter;
  change(changes: Partial<Filter>): void;
}

function Filters({ nodes, filter, change }: FiltersProps) {
  const text = nodeTexts();
  const any = { value: '', label: text.any };
  const countries = countsOf(nodes, (node) => node.country).map(({ value }) => ({ value, label: countryName(value) }));
  const states = countsOf(nodes, (node) => node.status).map(({ value }) => ({ value, label: text.states[value] }));
  return (
    <div class="filters" role="search">
      <label class="choice">
        <span>{text.search}</span>
        <input
          type="search"
          data-search
          value={filter.q}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
      </label>
      <Select
        label={text.country}
        value={filter.country}
        options={[any, ...countries.toSorted((a, b) => a.label.localeCompare(b.label))]}
        onChange={(country) => change({ country })}
      />
      <Select
        label={text.state}
        value={filter.state}
        options={[any, ...states]}
        onChange={(state) => change({ state })}
      />
      <label class="choice">
        <span>{text.networkNumber}</span>
        <input
          class="short"
          inputMode="numeric"
          value={filter.asn}
          placeholder="AS3320"
          onInput={(event) => change({ asn: event.currentTarget.value.trim() })}
        />
      </label>
    </div>
  );
}

interface FoundProps {
  readonly nodes: readonly Node[];
  readonly page: number;
  setPage(page: number): void;
  clear(): void;
}

function Found({ nodes, page, setPage, clear }: FoundProps) {
  const text = nodeTexts();
  if (nodes.length === 0)
    return (
      <Empty>
        <p>{common().nothingMatches}</p>
        <button type="button" class="quiet" onClick={clear}>
          {common().clearFilters}
        </button>
      </Empty>
    );
  const rank = ({ status }: Node) => (status === 'online' ? 0 : 1);
  const sorted = nodes.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  return (
    <div class="wide">
      <table class="folding" aria-label={text.title}>
        <thead>
          <tr>
            <th>{text.state}</th>
            <th>{common().name}</th>
            <th>{text.place}</th>
            <th>{text.network}</th>
            <th class="number">{text.uptime}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((node) => (
            <tr key={node.id}>
              <td class="whole">
                <NodeStatus node={node} />
              </td>
              <td>
                <Link href={`/nodes/${node.id}`}>{visible(node.name)}</Link>{' '}
                {node.tags.map((tag) => (
                  <span key={tag} class="tag">
                    {visible(tag)}
                  </span>
                ))}
              </td>
              <td data-title={text.place}>{placeName(node)}</td>
              <td data-title={text.network}>{networkName(node)}</td>
              <td class="number" data-title={text.uptime}>
                {node.uptime_percent_30d === null ? '–' : formatPercent(node.uptime_percent_30d)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pages page={page} size={PAGE_SIZE} total={nodes.length} onPage={setPage} />
    </div>
  );
}
