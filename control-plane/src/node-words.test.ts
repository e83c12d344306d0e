import t from 'tap';
import { parseFrom } from './node-words.js';

t.test('each kind of place is recognised', async (t) => {
  const cases: readonly (readonly [string, object])[] = [
    ['', {}],
    [' , ', {}],
    ['DE', { countries: ['DE'] }],
    ['de', { countries: ['DE'] }],
    ['AS3320', { asns: [3320] }],
    ['as3320', { asns: [3320] }],
    ['AS', { countries: ['AS'] }],
    ['DE-BE', { provinces: ['DE-BE'] }],
    ['de-be', { provinces: ['DE-BE'] }],
    ['western europe', { regions: ['Western Europe'] }],
    ['tag:SSD', { tags: ['ssd'] }],
    ['Berlin', { cities: ['Berlin'] }],
    ['n_1111111111111111111111', { node_ids: ['n_1111111111111111111111'] }],
    ['DE,FR, AS1 ,AS2,Berlin', { countries: ['DE', 'FR'], asns: [1, 2], cities: ['Berlin'] }],
    ['DE,de,DE', { countries: ['DE'] }],
  ];
  for (const [text, selection] of cases) t.strictSame(parseFrom(text), selection, text);
});
