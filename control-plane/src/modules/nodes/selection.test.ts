import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import { matcherOf, type NodeSelection } from './selection.js';

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
    t.equal(matcherOf(fits)(berlin), true, field);
    t.equal(matcherOf(not)(berlin), false, `${field}: another value`);
    const isExclusion = field === 'exclude_node_ids';
    if (!isExclusion) t.equal(matcherOf(fits)(nowhere), false, `${field}: a node without that value`);
  }
  t.equal(matcherOf({})(nowhere), true, 'an empty selection matches every node');
});

t.test('several fields narrow a selection, several values of one field widen it', async (t) => {
  t.equal(matcherOf({ countries: ['AT', 'DE'], asns: [1, 3320], tags: ['nvme', 'ssd'] })(berlin), true);
  t.equal(matcherOf({ countries: ['AT', 'DE'], asns: [1, 2] })(berlin), false);
  t.equal(matcherOf({ node_ids: [berlin.id], exclude_node_ids: [berlin.id] })(berlin), false, 'an exclusion wins');
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
    t.equal(matcherOf(selection)(berlin), true, JSON.stringify(selection));
  }
});
