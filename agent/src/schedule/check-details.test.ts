import t from 'tap';
import { anAssignment, bad, everything, good, monitorId, ScheduledNode } from './_support/a-schedule.js';
import { DetailsBudget } from './details-budget.js';

const MINUTE_MS = 60_000;

/** A node that watches one monitor; `outcomes`: of its checks, the last one of all that follow. */
function watching(outcomes: string) {
  const node = new ScheduledNode();
  node.answer = ({ wantsDetails }) => {
    const outcome = outcomes[node.jobs.length - 1] ?? outcomes.at(-1);
    const judgment = outcome === '+' ? good : bad('tcp_refused');
    return { afterMs: 100, judgment, ...(wantsDetails || outcome === '-' ? { detailsJson: '{"a":1}' } : {}) };
  };
  node.schedule.take(everything(anAssignment(0)));
  return node;
}

t.test(
  'details are reported for checks that did not succeed, and for the first successful one after them',
  async (t) => {
    const node = watching('++--+-++');
    await node.pass(7 * MINUTE_MS);
    t.same(
      node.details.map((details) => details !== ''),
      [false, false, true, true, true, true, true, false],
    );
    await node.end();
  },
);

t.test('details are reported for every requested check', async (t) => {
  const node = watching('+');
  await node.pass(1000);
  node.schedule.checkNow({ monitorId: monitorId(0), generation: 1, request: 'ask_1' });
  await node.pass(1000);
  t.same(node.details, ['', '{"a":1}']);
  await node.end();
});

t.test('for a target that stays down, details are reported twenty times, then every quarter of an hour', async (t) => {
  const node = watching('-');
  const reported = () => node.details.filter((details) => details !== '').length;
  await node.pass(19.5 * MINUTE_MS);
  t.equal(reported(), 20);
  await node.pass(24 * 60 * MINUTE_MS, 2000);
  t.ok(reported() <= 20 + 98, `${reported()}`);
  t.ok(reported() >= 20 + 94, `${reported()}`);
  await node.end();
});

t.test(
  'a target that is up and down all day causes no more details, and the end of an outage has its own',
  async (t) => {
    const budget = new DetailsBudget();
    const [shaky, down] = [{}, {}];
    const daily = Array.from({ length: 8640 }, (_, slot) => budget.take(shaky, slot * 10_000, slot % 2 === 1));
    t.ok(daily.filter(Boolean).length <= 21 + 96);
    for (let slot = 0; slot < 8640; slot += 1) budget.take(down, slot * 10_000, false);
    t.equal(budget.take(down, 86_400_000, true), true);
    t.equal(budget.take({}, 0, false), true, 'each has its own');
  },
);
