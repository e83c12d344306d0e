import t from 'tap';
import { Holdings } from './holdings.js';

const delivery = (id: string, endpoint_id = 'whe_1', is_slow = false) => {
  return { id, endpoint_id, owner_id: 'usr_1', is_slow, host: 'a' };
};
const many = (count: number) => Array.from({ length: count }, (_, n) => delivery(`whd_${n}`));
const idsOf = (deliveries: readonly { readonly id: string }[]) => deliveries.map(({ id }) => id);

t.test('four deliveries of an endpoint are under way, and each that ends lets the next begin', async (t) => {
  const holdings = new Holdings();
  holdings.add(many(6), 0);
  t.same(idsOf(holdings.take('whe_1', 0)), ['whd_0', 'whd_1', 'whd_2', 'whd_3']);
  t.same(holdings.take('whe_1', 0), []);
  holdings.end(delivery('whd_1'), { isSlow: false, tookMs: 9 });
  t.same(idsOf(holdings.take('whe_1', 0)), ['whd_4']);
  t.ok(holdings.isLow('whe_1'));
  t.equal(holdings.places().length, 4);
});

t.test(
  'an endpoint that does not reply has one place, for as long as its last attempt brought no response',
  async (t) => {
    const holdings = new Holdings();
    holdings.add(
      [delivery('whd_0', 'whe_1', true), delivery('whd_1', 'whe_1', true), delivery('whd_2', 'whe_1', true)],
      0,
    );
    t.same(idsOf(holdings.take('whe_1', 0)), ['whd_0']);
    t.same(holdings.places(), [{ host: 'a', account: 'usr_1', isSlow: true }]);
    holdings.end(delivery('whd_0'), { isSlow: false, tookMs: 9 });
    t.same(idsOf(holdings.take('whe_1', 0)), ['whd_1', 'whd_2']);
  },
);

t.test('attempts that are under way at an endpoint that has become slow keep their places', async (t) => {
  const holdings = new Holdings();
  holdings.add(many(4), 0);
  holdings.take('whe_1', 0);
  holdings.end(delivery('whd_0'), { isSlow: true, tookMs: 9 });
  holdings.forget(delivery('whd_0'));
  t.equal(holdings.places().length, 3);
});

t.test('a delivery that was claimed more than two seconds ago is not begun but given back', async (t) => {
  const holdings = new Holdings();
  holdings.add(many(5), 0);
  t.equal(holdings.take('whe_1', 2_000).length, 4);
  holdings.end(delivery('whd_0'), { isSlow: false, tookMs: 9 });
  t.same(holdings.take('whe_1', 2_001), []);
  t.same(holdings.takeBack(2_000), []);
  t.same(idsOf(holdings.takeBack(2_001)), ['whd_4']);
  t.ok(holdings.isLow('whe_1'));
  t.same(holdings.idsOf(['whe_1']).sort(), ['whd_0', 'whd_1', 'whd_2', 'whd_3'], 'until they are marked');
});

t.test('what waits for an endpoint is given back at once, and what is under way is not', async (t) => {
  const holdings = new Holdings();
  holdings.add([...many(5), delivery('whd_other', 'whe_2')], 0);
  holdings.take('whe_1', 0);
  t.same(idsOf(holdings.takeBack(0, ['whe_1'])), ['whd_4']);
  t.same(idsOf(holdings.takeBack(0, 'all')), ['whd_other']);
  t.same(holdings.idsOf(['whe_2']), []);
  for (const one of many(4)) {
    holdings.end(one, { isSlow: false, tookMs: 9 });
    holdings.forget(one);
  }
  t.same(holdings.places(), []);
});

t.test('of an endpoint as many deliveries are held as it takes in a second', async (t) => {
  const holdings = new Holdings();
  holdings.add(many(1), 0);
  const mostAfter = (tookMs: number) => {
    holdings.end(delivery('whd_0'), { isSlow: false, tookMs });
    return holdings.mostOf('whe_1');
  };
  t.equal(holdings.mostOf('whe_1'), 4, 'nothing is known');
  t.same([0, 20, 250, 499, 500, 15_000].map(mostAfter), [32, 32, 16, 8, 8, 4]);
  t.equal(holdings.mostOf('whe_2'), 4);
});

t.test('how fast an endpoint replies is remembered for two seconds after its last delivery', async (t) => {
  const holdings = new Holdings();
  holdings.add(many(4), 0);
  holdings.take('whe_1', 0);
  for (const one of many(4)) holdings.end(one, { isSlow: false, tookMs: 9 });
  for (const one of many(4)) holdings.forget(one);
  holdings.takeBack(0);
  t.strictSame(holdings.endpointIds(), [], 'others may claim for it');
  t.equal(holdings.mostOf('whe_1'), 32);
  holdings.add([{ ...delivery('whd_5', 'whe_1', true), host: 'b' }], 2_000);
  t.strictSame([holdings.mostOf('whe_1'), holdings.places()], [32, [{ host: 'b', account: 'usr_1', isSlow: true }]]);
  holdings.forget(delivery('whd_5'));
  holdings.takeBack(2_000);
  t.equal(holdings.mostOf('whe_1'), 32);
  holdings.takeBack(4_001);
  t.equal(holdings.mostOf('whe_1'), 4);
});
