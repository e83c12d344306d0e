import fc from 'fast-check';
import t from 'tap';
import type { NodeVerdict } from './node-reducer.js';
import { judgeQuorum, type MonitorHealth, neededVotes, parseQuorum, type Quorum, type Vote } from './quorum.js';

const verdicts = fc.constantFrom<NodeVerdict>('ok', 'degraded', 'failing');
const votes = fc
  .array(verdicts, { maxLength: 9 })
  .map((all) => all.map((verdict, index): Vote => aVote(index, verdict)));
const quorums = fc
  .constantFrom('any', 'all', '1/2', '2/3', '1/3', '1', '2', '3')
  .map((text) => parseQuorum(text) as Quorum);
const aVote = (index: number, verdict: NodeVerdict, sinceMs = index): Vote => ({
  nodeId: `n_${index}`,
  verdict,
  sinceMs,
});
const badness: Readonly<Record<MonitorHealth, number>> = { unknown: 0, up: 0, degraded: 1, down: 2 };

t.test('a quorum is read from the forms of a trigger rule, and from no others', async (t) => {
  t.same(['any', 'all', '2/3', '1/1', '3'].map(parseQuorum), [
    'any',
    { share: 1 },
    { share: 2 / 3 },
    { share: 1 },
    { count: 3 },
  ]);
  for (const text of ['', '0', '0/3', '1/0', '3/2', '-1', '1.5', '2 / 3', 'most', '1e3', '9999', '2/3\n'])
    t.equal(parseQuorum(text), null, JSON.stringify(text));
});

t.test('as many nodes are needed as the rule says of the eligible ones, and two where two are assigned', async (t) => {
  const need = (text: string, eligible: number, assigned: number) =>
    neededVotes(parseQuorum(text) as Quorum, { eligible, assigned });
  t.same(
    [3, 6, 9, 300].map((nodes) => need('2/3', nodes, nodes)),
    [2, 4, 6, 200],
  );
  t.equal(need('2/3', 4, 5), 3);
  t.equal(need('2/3', 1, 3), 2, 'one of three decides nothing');
  t.equal(need('2/3', 1, 1), 1);
  t.equal(need('1', 3, 3), 2);
  t.equal(need('any', 3, 3), 1);
  t.equal(need('all', 3, 5), 3);
  t.equal(need('4', 3, 5), 4);
});

t.test('the order of votes changes nothing', async (t) => {
  const shuffled = votes.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(quorums, shuffled, (quorum, [all, mixed]) =>
      t.same(judgeQuorum(quorum, mixed, mixed.length), judgeQuorum(quorum, all, all.length)),
    ),
  );
});

t.test('a worse vote never improves a monitor', async (t) => {
  fc.assert(
    fc.property(quorums, votes, fc.nat(8), fc.nat(4), (quorum, all, index, absent) => {
      const worse = all.map((vote, at) => (at === index ? { ...vote, verdict: 'failing' as const } : vote));
      const assigned = all.length + absent;
      const [before, after] = [judgeQuorum(quorum, all, assigned), judgeQuorum(quorum, worse, assigned)];
      t.ok(badness[after.health] >= badness[before.health]);
      t.equal(after.health === 'unknown', before.health === 'unknown');
    }),
  );
});

t.test('one node of several takes no monitor down, unless any may', async (t) => {
  fc.assert(
    fc.property(quorums, fc.integer({ min: 2, max: 9 }), fc.nat(8), (quorum, assigned, eligible) => {
      const all: Vote[] = Array.from({ length: Math.min(eligible, assigned) }, (_, index) =>
        aVote(index, index === 0 ? 'failing' : 'ok'),
      );
      const { health } = judgeQuorum(quorum, all, assigned);
      t.equal(health === 'down', quorum === 'any' && all.length > 0);
    }),
  );
});

t.test('with too few nodes to decide, the state is unknown, whatever they report', async (t) => {
  const say = (...all: NodeVerdict[]) => all.map((verdict, index) => aVote(index, verdict));
  const health = (text: string, all: Vote[], assigned: number) =>
    judgeQuorum(parseQuorum(text) as Quorum, all, assigned).health;
  for (const text of ['any', 'all', '2/3', '1'])
    for (const assigned of [0, 1, 3]) t.equal(health(text, [], assigned), 'unknown');
  t.equal(health('2/3', say('failing'), 3), 'unknown');
  t.equal(health('2/3', say('ok'), 3), 'unknown');
  t.equal(health('3', say('failing', 'failing'), 3), 'unknown');
  t.equal(health('2/3', say('failing'), 1), 'down');
});

t.test('below the quorum nodes that fail are named, and a mixed quorum is degraded', async (t) => {
  const quorum = parseQuorum('2/3') as Quorum;
  const judged = (...all: NodeVerdict[]) =>
    judgeQuorum(
      quorum,
      all.map((verdict, index) => aVote(index, verdict)),
      all.length,
    );
  t.match(judged('ok', 'failing', 'ok'), { health: 'up', need: 2, eligible: 3, failingNodes: ['n_1'] });
  t.match(judged('degraded', 'failing', 'ok'), {
    health: 'degraded',
    failingNodes: ['n_1'],
    impairedNodes: ['n_0', 'n_1'],
  });
  t.match(judged('failing', 'failing', 'ok'), { health: 'down', failingNodes: ['n_0', 'n_1'] });
});

t.test('the moment of a judgment is the check by which enough nodes had said so', async (t) => {
  const quorum = parseQuorum('2/3') as Quorum;
  const moment = (...all: Vote[]) => judgeQuorum(quorum, all, 3).decidedAtMs;
  t.equal(moment(aVote(0, 'failing', 70), aVote(1, 'failing', 50), aVote(2, 'failing', 90)), 70);
  t.equal(moment(aVote(0, 'failing', 70), aVote(1, 'ok', 50), aVote(2, 'failing', 90)), 90);
  t.equal(moment(aVote(0, 'degraded', 10), aVote(1, 'ok', 50), aVote(2, 'failing', 90)), 90, 'degraded');
  t.equal(moment(aVote(0, 'failing', 10), aVote(1, 'ok', 120), aVote(2, 'ok', 130)), 130, 'up again');
  t.equal(moment(aVote(0, 'ok', 140), aVote(1, 'ok', 120), aVote(2, 'ok', 130)), 130, 'up, by two of three');
  t.equal(moment(aVote(0, 'failing', 10)), null, 'unknown');
});
