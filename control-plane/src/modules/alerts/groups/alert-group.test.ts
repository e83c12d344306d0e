import t from 'tap';
import { type AlertGroup, type GroupedMonitor, groupOf, groupValue } from './alert-group.js';

const monitor: GroupedMonitor = { name: 'Shop Frankfurt', isTest: false, tags: ['eu', 'web'], type: 'https' };
const aGroup = (fields: Partial<AlertGroup>): AlertGroup => ({
  id: 'agr_1',
  name: 'Group',
  isTest: false,
  by: 'tag',
  value: 'eu',
  waitMs: 30_000,
  intervalMs: 300_000,
  createdAtMs: 1_000,
  ...fields,
});

const cases: readonly [name: string, group: Partial<AlertGroup>, monitor: Partial<GroupedMonitor>, isIn: boolean][] = [
  ['the beginning of its name', { by: 'monitor_prefix', value: 'Shop' }, {}, true],
  ['in other case', { by: 'monitor_prefix', value: 'sHOP fr' }, {}, true],
  ['letters whose case is longer', { by: 'monitor_prefix', value: 'STRASSE' }, { name: 'Straße 1' }, true],
  ['a letter and its accent apart', { by: 'monitor_prefix', value: 'cafe\u0301' }, { name: 'CAFÉ 2' }, true],
  ['another part of its name', { by: 'monitor_prefix', value: 'Frankfurt' }, {}, false],
  ['one of its tags', { value: 'web' }, {}, true],
  ['the beginning of a tag', { value: 'we' }, {}, false],
  ['its type', { by: 'type', value: 'https' }, {}, true],
  ['another type', { by: 'type', value: 'http' }, {}, false],
  ['a group of a test key', { isTest: true }, {}, false],
  ['a group of a test key, and a monitor of one', { isTest: true }, { isTest: true }, true],
];
for (const [name, group, changes, isIn] of cases)
  t.test(`a group has the monitors whose name begins so, or with the tag or the type: ${name}`, async (t) => {
    const read = aGroup(group);
    const folded = { ...read, value: groupValue(read.by, read.value) };
    t.equal(groupOf([folded], { ...monitor, ...changes }) !== null, isIn);
  });

t.test('of several groups that match, the one that was created first counts', async (t) => {
  const groups = [
    aGroup({ id: 'agr_3', createdAtMs: 3_000 }),
    aGroup({ id: 'agr_1', createdAtMs: 1_000, value: 'none' }),
    aGroup({ id: 'agr_2', createdAtMs: 2_000 }),
  ];
  t.equal(groupOf(groups, monitor)?.id, 'agr_2');
  t.equal(groupOf([], monitor), null);
});
