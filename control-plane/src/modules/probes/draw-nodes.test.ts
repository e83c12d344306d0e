import fc from 'fast-check';
import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import { seededRandom } from '../../../test/_support/seeded-random.js';
import type { Node, NodeSelection } from '../nodes/index.js';
import { drawNodes } from './draw-nodes.js';

/** Draws with a random that is the same every time. */
function draw(
  candidates: readonly Node[],
  selection: NodeSelection,
  seed = 1,
  loadOf: (node: Node) => number = () => 0,
) {
  return drawNodes({ candidates, selection, loadOf, random: seededRandom(seed) });
}

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

t.test('whatever the spread, as many different nodes are drawn as there are candidates, up to the limit', async () => {
  fc.assert(
    fc.property(anyNodes, anySpread, fc.integer({ min: 1, max: 10 }), fc.integer(), (places, spread, limit, seed) => {
      const nodes = places.map(aNode);
      const chosen = draw(nodes, { limit, spread } as NodeSelection, seed);
      return (
        chosen.length === Math.min(limit, nodes.length) &&
        new Set(chosen).size === chosen.length &&
        chosen.every((node) => nodes.includes(node))
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
    drawNodes({ candidates: [busy, idle], selection: { limit: 1 }, loadOf, random }),
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
