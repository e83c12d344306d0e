import fc from 'fast-check';
import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import { seededRandom } from '../../../test/_support/seeded-random.js';
import type { Node } from './node.js';
import { matches, type NodeSelection, selectNodes } from './selection.js';

const berlin = aNode({
  country: 'DE',
  province: 'DE-BE',
  region: 'Western Europe',
  city: 'Berlin',
  asn: 3320,
  provider: 'Hetzner Online',
  tags: ['eyeball', 'ssd'],
});
const nowhere = aNode();

/** Draws with a random that is the same every time. */
function draw(
  candidates: readonly Node[],
  selection: NodeSelection,
  seed = 1,
  loadOf: (node: Node) => number = () => 0,
) {
  return selectNodes({ candidates, selection, loadOf, random: seededRandom(seed) });
}

t.test('each field of a selection lets through the nodes it names and no other', async (t) => {
  const cases: readonly { field: string; fits: NodeSelection; not: NodeSelection }[] = [
    { field: 'node_ids', fits: { node_ids: [berlin.id] }, not: { node_ids: ['n_1111111111111111111111'] } },
    { field: 'countries', fits: { countries: ['DE'] }, not: { countries: ['AT'] } },
    { field: 'regions', fits: { regions: ['Western Europe'] }, not: { regions: ['Eastern Europe'] } },
    { field: 'provinces', fits: { provinces: ['DE-BE'] }, not: { provinces: ['DE-BY'] } },
    { field: 'cities', fits: { cities: ['Berlin'] }, not: { cities: ['Bern'] } },
    { field: 'asns', fits: { asns: [3320] }, not: { asns: [3209] } },
    { field: 'providers', fits: { providers: ['Hetzner Online'] }, not: { providers: ['Hetzner'] } },
    { field: 'tags', fits: { tags: ['ssd'] }, not: { tags: ['ss'] } },
    { field: 'exclude_node_ids', fits: { exclude_node_ids: [nowhere.id] }, not: { exclude_node_ids: [berlin.id] } },
  ];
  for (const { field, fits, not } of cases) {
    t.equal(matches(berlin, fits), true, field);
    t.equal(matches(berlin, not), false, `${field}: another value`);
    const isExclusion = field === 'exclude_node_ids';
    if (!isExclusion) t.equal(matches(nowhere, fits), false, `${field}: a node that does not say`);
  }
  t.equal(matches(nowhere, {}), true, 'nothing asked for');
});

t.test('fields narrow each other, values of one field widen it', async (t) => {
  t.equal(matches(berlin, { countries: ['AT', 'DE'], asns: [1, 3320], tags: ['nvme', 'ssd'] }), true);
  t.equal(matches(berlin, { countries: ['AT', 'DE'], asns: [1, 2] }), false);
  t.equal(matches(berlin, { node_ids: [berlin.id], exclude_node_ids: [berlin.id] }), false, 'an exclusion wins');
});

t.test('names are compared without regard to case', async (t) => {
  for (const selection of [
    { countries: ['de'] },
    { provinces: ['de-be'] },
    { regions: ['WESTERN europe'] },
    { cities: ['bERLIN'] },
    { providers: ['hetzner ONLINE'] },
    { tags: ['SSD'] },
  ]) {
    t.equal(matches(berlin, selection), true, JSON.stringify(selection));
  }
});

t.test('nodes of different networks come first unless another spread is asked for', async (t) => {
  const crowd = Array.from({ length: 9 }, () => aNode({ asn: 1, country: 'DE', region: 'Western Europe' }));
  const candidates = [
    ...crowd,
    aNode({ asn: 2, country: 'DE', region: 'Western Europe' }),
    aNode({ asn: 2, country: 'FR', region: 'Western Europe' }),
    aNode({ asn: 2, country: 'PL', region: 'Eastern Europe' }),
  ];
  const different = (nodes: readonly Node[], field: 'asn' | 'country' | 'region') =>
    new Set(nodes.map((node) => node[field])).size;
  for (const seed of [1, 2, 3, 4, 5]) {
    t.equal(different(draw(candidates, { limit: 2 }, seed), 'asn'), 2, 'default: asn');
    t.equal(different(draw(candidates, { limit: 2, spread: 'asn' }, seed), 'asn'), 2);
    t.equal(different(draw(candidates, { limit: 3, spread: 'country' }, seed), 'country'), 3);
    t.equal(different(draw(candidates, { limit: 2, spread: 'region' }, seed), 'region'), 2);
  }
  const unspread = [1, 2, 3, 4, 5, 6].map((seed) =>
    different(draw(candidates, { limit: 2, spread: 'none' }, seed), 'asn'),
  );
  t.ok(unspread.includes(1), 'none: two nodes of one network do come together');
});

t.test('a node of unknown network is a network of its own', async (t) => {
  const candidates = [aNode({ asn: 1 }), aNode({ asn: 1 }), aNode({ asn: 1 }), aNode(), aNode()];
  for (const seed of [1, 2, 3, 4, 5]) {
    const unknown = draw(candidates, { limit: 3 }, seed).filter(({ asn }) => asn === null);
    t.equal(unknown.length, 2);
  }
});

t.test('limit is a ceiling, 3 by default', async (t) => {
  const nodes = Array.from({ length: 5 }, () => aNode());
  t.equal(draw(nodes, {}).length, 3);
  t.equal(draw(nodes, { limit: 4 }).length, 4);
  t.equal(draw(nodes, { limit: 50 }).length, 5);
  t.same(draw([], {}), []);
});

const anyNodes = fc.array(
  fc.record({ asn: fc.option(fc.integer({ min: 1, max: 4 })), country: fc.constantFrom('DE', 'FR', null) }),
  { maxLength: 20 },
);
const anySpread = fc.constantFrom('asn', 'country', 'region', 'none');

t.test('whatever the spread, as many different nodes are drawn as match, up to the limit', async () => {
  fc.assert(
    fc.property(anyNodes, anySpread, fc.integer({ min: 1, max: 10 }), fc.integer(), (places, spread, limit, seed) => {
      const nodes = places.map(aNode);
      const selection = { countries: ['DE'], limit, spread } as NodeSelection;
      const chosen = draw(nodes, selection, seed);
      const matching = nodes.filter(({ country }) => country === 'DE');
      return (
        chosen.length === Math.min(limit, matching.length) &&
        new Set(chosen).size === chosen.length &&
        chosen.every((node) => matching.includes(node))
      );
    }),
  );
});

t.test('no network is drawn twice while another one that matches has not been drawn', async () => {
  fc.assert(
    fc.property(anyNodes, fc.integer({ min: 1, max: 10 }), fc.integer(), (places, limit, seed) => {
      const nodes = places.map(aNode);
      const networks = (some: readonly Node[]) => new Set(some.map(({ asn, id }) => asn ?? id)).size;
      return networks(draw(nodes, { limit }, seed)) === Math.min(limit, networks(nodes));
    }),
  );
});

t.test('a busy node is drawn less often, in proportion to its load', async (t) => {
  const [idle, busy] = [aNode(), aNode()];
  const random = seededRandom(42);
  const loadOf = (node: Node) => (node === busy ? 9 : 0);
  const draws = Array.from({ length: 5_000 }, () =>
    selectNodes({ candidates: [busy, idle], selection: { limit: 1 }, loadOf, random }),
  );
  const share = draws.filter(([node]) => node === idle).length / draws.length;
  // weights 1 and 1 / (1 + 9): 10 of 11 draws
  t.ok(Math.abs(share - 10 / 11) < 0.02, `share ${share}`);
});

t.test('the same random numbers draw the same nodes', async (t) => {
  const nodes = Array.from({ length: 20 }, (_, index) => aNode({ asn: index % 5 }));
  t.same(draw(nodes, { limit: 7 }, 3), draw(nodes, { limit: 7 }, 3));
  t.notSame(draw(nodes, { limit: 7 }, 3), draw(nodes, { limit: 7 }, 4));
});
