import t from 'tap';
import { type ApiClient, ApiRefusal } from './api-client.js';
import { explainRefusal } from './explain-refusal.js';
import { unmatchedPlaces, withPlaces } from './unmatched-places.js';

const node = {
  id: 'n_1',
  name: 'edge-1',
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
  name: 'edge-2',
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
    ['berlin,Oslo', 'no such place "Oslo": no country or region, and no city of a node; "berlin" matches 1 node'],
    ['Germny', 'no such place "Germny", did you mean "Germany"?'],
    ['Berln', 'no such place "Berln", did you mean "Berlin"?'],
    ['Edge-1', 'no such place "Edge-1", did you mean "n_1"?'],
    ['DE+AS3320', 'no such place "DE+AS3320", did you mean "DE,AS3320"?'],
    ['New Germany', 'no such place "New Germany": no country or region, and no city of a node'],
    ['world', '"world" matches 2 nodes'],
    ['DE,AS3320', '"DE" matches 1 node; "AS3320" matches 1 node; places of different kinds narrow each other'],
  ] as const)
    t.equal(unmatchedPlaces(from, nodes).text, `${text}; \`vantage nodes\` lists them`);
});

t.test('a refusal about nodes names --from only where there is one', async (t) => {
  const refusal = new ApiRefusal(422, 'VALIDATION_FAILED', '', { nodes: [{ message: 'no online node has ICMP' }] });
  const text = async (from: string | undefined) => {
    const client = { call: async () => ({ items: [] }) } as unknown as ApiClient;
    const reported = (await withPlaces(refusal, client, from)) as ApiRefusal;
    return explainRefusal(reported, { hasToken: true, nowMs: 0 }).split('\n')[0];
  };
  t.equal(await text(undefined), 'available nodes: no online node has ICMP (VALIDATION_FAILED)');
  t.equal(await text('CN'), '--from: no node in CN; `vantage nodes` lists them (VALIDATION_FAILED)');
});
