import t from 'tap';
import { Slices } from '../../../runtime/slices.js';
import { type Silence, type SilencedMonitor, silenceStatus } from './silence.js';
import { SilenceIndex } from './silence-index.js';

const monitor: SilencedMonitor = { id: 'm_1', isTest: false, groupId: 'mgr_1', tags: ['eu', 'web'] };
const aSilence = (fields: Partial<Omit<Silence, 'scopeIds'>> & { scopeIds?: readonly string[] } = {}): Silence => ({
  id: 'asl_1',
  isTest: false,
  scope: 'all',
  severities: [],
  startsAtMs: 1_000,
  endsAtMs: 2_000,
  ...fields,
  scopeIds: new Set(fields.scopeIds ?? []),
});

const untilOf = async (
  silences: readonly Silence[],
  of: SilencedMonitor,
  severity: 'critical' | 'warning',
  nowMs: number,
) => (await SilenceIndex.of(silences, nowMs, new Slices())).untilMs(of, severity);

const cases: readonly [name: string, silence: Silence, isSilent: boolean][] = [
  ['all', aSilence(), true],
  ['its id', aSilence({ scope: 'monitor', scopeIds: ['m_0', 'm_1'] }), true],
  ['the id of another', aSilence({ scope: 'monitor', scopeIds: ['m_2'] }), false],
  ['its group', aSilence({ scope: 'group', scopeIds: ['mgr_1'] }), true],
  ['another group', aSilence({ scope: 'group', scopeIds: ['mgr_2'] }), false],
  ['one of its tags', aSilence({ scope: 'tag', scopeIds: ['web', 'mail'] }), true],
  ['another tag', aSilence({ scope: 'tag', scopeIds: ['we'] }), false],
  ['its severity', aSilence({ severities: ['warning', 'info'] }), true],
  ['other severities', aSilence({ severities: ['critical', 'info'] }), false],
  ['a silence of a test key', aSilence({ isTest: true }), false],
];
for (const [name, silence, isSilent] of cases)
  t.test(`a silence applies to the monitors, groups, tags and severities that it names: ${name}`, async (t) => {
    t.equal(await untilOf([silence], monitor, 'warning', 1_500), isSilent ? 2_000 : null);
  });

t.test('a silence of a group does not apply to a monitor without a group', async (t) => {
  const silence = aSilence({ scope: 'group', scopeIds: ['mgr_1'] });
  t.equal(await untilOf([silence], { ...monitor, groupId: null }, 'critical', 1_500), null);
});

t.test('a silence of a test key applies to monitors of test keys', async (t) => {
  t.ok(await untilOf([aSilence({ isTest: true })], { ...monitor, isTest: true }, 'critical', 1_500));
});

t.test('the next silence is the first of those to come that apply', async (t) => {
  const silences = [
    aSilence({ startsAtMs: 5_000, endsAtMs: 6_000 }),
    aSilence({ startsAtMs: 4_000, endsAtMs: 9_000, severities: ['warning'] }),
    aSilence({ startsAtMs: 3_000, endsAtMs: 9_000, scope: 'monitor', scopeIds: ['m_2'] }),
    aSilence(),
  ];
  const next = async (nowMs: number) =>
    (await SilenceIndex.of(silences, nowMs, new Slices())).nextAtMs(monitor, 'critical');
  t.strictSame(await Promise.all([0, 1_000, 4_999, 5_000].map(next)), [1_000, 5_000, 5_000, null]);
});

t.test('a silence lasts from its first instant until its end, and the one that ends last counts', async (t) => {
  const silences = [aSilence(), aSilence({ startsAtMs: 1_800, endsAtMs: 3_000 })];
  const until = (nowMs: number) => untilOf(silences, monitor, 'critical', nowMs);
  t.strictSame(await Promise.all([999, 1_000, 1_799, 1_800, 2_000, 2_999, 3_000].map(until)), [
    null,
    2_000,
    2_000,
    3_000,
    3_000,
    3_000,
    null,
  ]);
  t.strictSame(
    [999, 1_000, 1_999, 2_000].map((nowMs) => silenceStatus(aSilence(), nowMs)),
    ['upcoming', 'active', 'active', 'expired'],
  );
});
