import fc from 'fast-check';
import t from 'tap';
import { newestCommonVersion, olderSide } from './versions.js';

t.test('the newest version that both sides speak is spoken, whatever the order', async (t) => {
  const cases = [
    [[1], [1], 1],
    [[1], [2, 1], 1],
    [[1], [1, 2, 3], 1],
    [[2, 1], [1, 2, 3], 2],
    [[1, 2], [3, 2, 1], 2],
    [[1], [], null],
    [[1], [0], null],
    [[1], [2], null],
  ] as const;
  for (const [ours, theirs, common] of cases)
    t.equal(newestCommonVersion(ours, theirs), common, `${ours} and ${theirs}`);
  const versions = fc.array(fc.nat(20), { maxLength: 16 });
  fc.assert(
    fc.property(versions, versions, (ours, theirs) => {
      const common = newestCommonVersion(ours, theirs);
      const isSame = common === newestCommonVersion(theirs, ours);
      return isSame && ours.every((version) => !theirs.includes(version) || version <= (common ?? -1));
    }),
  );
});

t.test('the peer with the older versions has to be upgraded', async (t) => {
  t.equal(olderSide([1], [2, 3]), 'ours');
  t.equal(olderSide([2], [1]), 'theirs');
  t.equal(olderSide([1], []), 'theirs', 'who speaks none at all');
});
