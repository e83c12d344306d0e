import { readFileSync } from 'node:fs';
import { parseAddress } from '@vantage/shared/target-policy/address.js';
import fc from 'fast-check';
import t from 'tap';
import { locales } from '../../../http/locale.js';
import { noteOf } from './note.js';
import { type JudgeInput, judgeReputation, type ReputationList, worstOf } from './score.js';
import { listSignals, riskLevelOf, signals } from './signals.js';

const DAY_MS = 86_400_000;
const nowMs = Date.UTC(2026, 10, 26);
const address = parseAddress('8.8.8.8') ?? { family: 4 as const, value: 0n };

const matching = { find: () => '8.8.8.0/24' };
const silent = { find: () => null };
const list = (signal: ReputationList['signal'], more: Partial<ReputationList> = {}): ReputationList => ({
  name: `list-${signal}`,
  signal,
  entries: matching,
  builtMs: nowMs - DAY_MS,
  maxAgeS: 7 * 86_400,
  ...more,
});
const judge = (lists: readonly ReputationList[], more: Partial<JudgeInput> = {}) =>
  judgeReputation({ address, asn: null, lists, listings: [], nowMs, ...more });

const anyList = fc
  .record({
    signal: fc.constantFrom(...listSignals),
    isMatch: fc.boolean(),
    ageDays: fc.integer({ min: 0, max: 10 }),
    name: fc.stringMatching(/^[a-c]{1,2}$/),
  })
  .map(({ signal, isMatch, ageDays, name }) =>
    list(signal, { name, entries: isMatch ? matching : silent, builtMs: nowMs - ageDays * DAY_MS }),
  );
const anyLists = fc.array(anyList, { maxLength: 8 });
const anyListing = fc.constantFrom(...signals).map((signal) => ({ zone: 'bl.example.org', code: '127.0.0.2', signal }));
const anyListings = fc.array(anyListing, { maxLength: 3 });

t.test('the score is the sum of the weights that are shown, at most 100', async () => {
  fc.assert(
    fc.property(anyLists, anyListings, (lists, listings) => {
      const { score, evidence, risk_level } = judge(lists, { listings });
      const sum = evidence.reduce((total, { weight }) => total + weight, 0);
      return score === Math.min(100, sum) && risk_level === riskLevelOf(score);
    }),
  );
});

t.test('an entry more, in any list or zone, never lowers a score', async () => {
  fc.assert(
    fc.property(anyLists, anyListings, fc.oneof(anyList, anyListing), (lists, listings, further) => {
      const more =
        'zone' in further
          ? judge(lists, { listings: [...listings, further] })
          : judge([...lists, further], { listings });
      return more.score >= judge(lists, { listings }).score;
    }),
    { numRuns: 1000 },
  );
});

t.test('vpn and proxy are never said together, as types or as evidence', async (t) => {
  fc.assert(
    fc.property(anyLists, anyListings, (lists, listings) => {
      const { types, evidence } = judge(lists, { listings });
      const said = new Set(evidence.map(({ signal }) => signal));
      return !(types.includes('vpn') && types.includes('proxy')) && !(said.has('vpn') && said.has('proxy'));
    }),
  );
  t.match(judge([list('proxy'), list('vpn')]), {
    score: 60,
    types: ['vpn'],
    evidence: [{ signal: 'vpn', weight: 60 }],
  });
});

t.test('the order of lists and listings changes nothing', async () => {
  fc.assert(
    fc.property(anyLists, anyListings, (lists, listings) => {
      const turned = judge(lists.toReversed(), { listings: listings.toReversed() });
      return JSON.stringify(turned) === JSON.stringify(judge(lists, { listings }));
    }),
  );
});

t.test('hosting or residential alone is low, and residential is said where nothing else is', async (t) => {
  t.match(judge([list('hosting')]), { score: 25, risk_level: 'low', types: ['hosting'] });
  t.match(judge([list('residential')]), { score: 0, risk_level: 'low', types: ['residential'], evidence: [] });
  t.same(judge([list('residential'), list('abuse_asn')]).types, []);
  for (const strong of ['tor_exit', 'vpn', 'proxy'] as const)
    t.match(judge([list('hosting'), list(strong)]).evidence, [{ signal: strong }, { signal: 'hosting', weight: 5 }]);
  t.match(judge([list('hosting'), list('abuse_asn')]).evidence, [{ weight: 30 }, { signal: 'hosting', weight: 25 }]);
});

t.test('a list that is too old does not count and leaves the coverage', async (t) => {
  const old = list('tor_exit', { builtMs: nowMs - 7 * DAY_MS - 1 });
  t.match(judge([old, list('vpn', { entries: silent })]), { score: 0, coverage: ['vpn'], evidence: [] });
  t.match(judge([{ ...old, builtMs: nowMs - 7 * DAY_MS }]), { score: 85, coverage: ['tor_exit'] });
});

t.test('nothing found with a signal missing is unknown, and said in every language', async (t) => {
  const { unknown } = judge([list('vpn', { entries: silent })]);
  t.same(unknown, ['tor_exit', 'proxy', 'abuse_asn', 'hosting']);
  for (const locale of locales) t.match(noteOf(unknown, locale), /tor_exit, proxy, abuse_asn, hosting/);
  t.same(judge([list('vpn')]).unknown, [], 'evidence speaks for itself');
  const all = signals.map((signal) => list(signal, { entries: silent }));
  t.same(judge(all).unknown, []);
  t.equal(noteOf([], 'en'), null);
});

t.test('a description names list, date and entry, at most three of them', async (t) => {
  const named = (name: string) => list('vpn', { name });
  t.match(judge([named('b'), named('a')]).evidence, [
    { description: 'list a of 2026-11-25: 8.8.8.0/24; list b of 2026-11-25: 8.8.8.0/24' },
  ]);
  t.match(judge(['d', 'c', 'b', 'a'].map(named)).evidence[0]?.description, /list c of [^;]+; and 1 more$/);
});

t.test('a domain is judged by its worst address', async (t) => {
  t.same(worstOf([{ score: 5 }, { score: 60, id: 1 }, { score: 60, id: 2 }]), { score: 60, id: 1 });
  t.equal(worstOf([]), null);
});

t.test('the examples of docs/reputation.md are computed', async (t) => {
  const page = readFileSync(new URL('../../../../../../docs/reputation.md', import.meta.url), 'utf8');
  const rows = page
    .slice(page.indexOf('## Three examples'), page.indexOf('## Limits'))
    .split('\n')
    .filter((line) => line.startsWith('| a '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  t.equal(rows.length, 3);
  for (const [, title = '', matches = '', evidence, score, level, types] of rows) {
    const matched = new Set(matches.split(', '));
    const judged = judge(signals.map((signal) => list(signal, { entries: matched.has(signal) ? matching : silent })));
    t.equal(judged.evidence.map(({ signal, weight }) => `${signal} ${weight}`).join(', '), evidence, title);
    t.same([`${judged.score}`, judged.risk_level, judged.types.join(', ')], [score, level, types], title);
  }
});
