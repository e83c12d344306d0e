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
    ['EU,AS1', { regions: ['Southern Europe', 'Eastern Europe', 'Northern Europe', 'Western Europe'], asns: [1] }],
    ['DE-BE', { provinces: ['DE-BE'] }],
    ['de-be', { provinces: ['DE-BE'] }],
    ['western europe', { regions: ['Western Europe'] }],
    ['tag:SSD', { tags: ['ssd'] }],
    ['Berlin', { cities: ['Berlin'] }],
    ['n_1111111111111111111111', { node_ids: ['n_1111111111111111111111'] }],
    ['DE,FR, AS1 ,AS2,Berlin', { countries: ['DE', 'FR'], asns: [1, 2], cities: ['Berlin'] }],
    ['DE,de,DE', { countries: ['DE'] }],
    ['Germany, 日本，US', { countries: ['DE', 'JP', 'US'] }],
    ['world', {}],
    ['Micronesia,DE', { countries: ['DE', 'FM', 'GU', 'KI', 'MH', 'MP', 'NR', 'PW', 'UM'] }],
  ];
  for (const [text, selection] of cases) t.strictSame(parseFrom(text), selection, text);
});
