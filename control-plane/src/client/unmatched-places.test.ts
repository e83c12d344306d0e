import t from 'tap';
import { unmatchedPlaces } from './unmatched-places.js';

const node = {
  id: 'n_1',
  status: 'online',
  country: 'DE',
  region: 'Western Europe',
  city: 'Berlin',
  asn: 3320,
} as const;
const nodes = [node, { ...node, id: 'n_2', status: 'offline', country: 'FR', city: 'Paris', asn: 3215 } as const];

t.test('each word of a place says which nodes match it', async (t) => {
  for (const [from, text] of [
    ['CN', 'no node in CN'],
    ['FR', '"FR" matches 1 node, none of them online'],
    ['DE, AS3215', '"DE" matches 1 node; "AS3215" matches 1 node, none of them online'],
    ['berlin,Oslo', '"berlin" matches 1 node; no node in Oslo'],
  ] as const)
    t.equal(unmatchedPlaces(from, nodes), `${text}; \`vantage nodes\` lists them`);
});
