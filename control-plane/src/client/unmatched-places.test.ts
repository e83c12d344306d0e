import t from 'tap';
import { unmatchedPlaces } from './unmatched-places.js';

const node = {
  id: 'n_1',
  status: 'online',
  country: 'DE',
  province: 'DE-BE',
  tags: ['ssd'],
  region: 'Western Europe',
  city: 'Berlin',
  asn: 3320,
} as const;
const paris = {
  id: 'n_2',
  status: 'offline',
  country: 'FR',
  province: 'FR-75C',
  city: 'Paris',
  asn: 3215,
  tags: [],
} as const;
const nodes = [node, { ...node, ...paris }].map((one) => ({ ...one, tags: [...one.tags] }));

t.test('each word of a place says which nodes match it', async (t) => {
  for (const [from, text] of [
    ['CN', 'no node in CN'],
    ['DE-BE', '"DE-BE" matches 1 node'],
    ['DE-BY', 'no node in DE-BY'],
    ['tag:SSD', '"tag:SSD" matches 1 node'],
    ['tag:fast', 'no node has the tag fast'],
    ['n_3', 'no node is n_3'],
    ['FR', '"FR" matches 1 node, none of them online'],
    ['DE, AS3215', '"DE" matches 1 node; "AS3215" matches 1 node, none of them online'],
    ['berlin,Oslo', '"berlin" matches 1 node; no node in Oslo'],
  ] as const)
    t.equal(unmatchedPlaces(from, nodes), `${text}; \`vantage nodes\` lists them`);
});
