import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startLinkedLab } from './_support/linked-lab.js';
import { missingForLab } from './_support/missing-for-lab.js';

/** Interval with which a link outlives a second without packets, even where everything takes a few times as long. */
const HEARTBEAT_MS = 5_000;
const skip = await missingForLab();

if (skip !== false) t.test('a link over a network that breaks', { skip }, async () => {});
else {
  const { lab, agent, calm, isComplete, isOpen, nothingLostNorDoubled } = await startLinkedLab(t, {
    heartbeatMs: HEARTBEAT_MS,
  });
  const { seen } = agent;
  const cut = (direction: 'forth' | 'back' | 'both') => lab.setLink(2, direction, { lossRatio: 1 });
  const isNoticed = async () => !(await isOpen());

  t.test('a partition of a second costs neither the link nor a result', async (t) => {
    const { links } = seen;
    agent.ask(3);
    await cut('both');
    agent.ask(3);
    await pause(1_000);
    await calm();
    await until('all results', isComplete);
    nothingLostNorDoubled(t);
    t.equal(seen.links, links, 'the link is the same');
  });

  t.test('a partition towards the control plane is noticed, and results arrive over the next link', async (t) => {
    const { links } = seen;
    await cut('forth');
    agent.ask(3);
    await until('the agent has noticed', isNoticed);
    t.notOk(isComplete());
    await calm();
    await until('all results', isComplete);
    nothingLostNorDoubled(t);
    t.equal(seen.links, links + 1);
    t.equal(seen.resent, 0);
  });

  t.test(
    'a partition from the control plane is noticed, and results that had arrived are not sent again',
    async (t) => {
      await until('the link is open', isOpen);
      const { links } = seen;
      // acknowledgements are on the road for as long as it takes to cut it before them
      await lab.setLink(4, 'back', { delayMs: 1_500 });
      agent.ask(3);
      await until('all results', isComplete);
      await cut('back');
      await until('the agent has noticed', isNoticed);
      await calm();
      await until('a new link', () => seen.links > links);
      agent.ask(1);
      await until('a result over the new link', isComplete);
      nothingLostNorDoubled(t);
      t.equal(seen.resent, 0);
    },
  );

  t.test('a network that loses every tenth packet delivers everything', async (t) => {
    await lab.setLink(2, 'both', { lossRatio: 0.1 });
    for (let round = 0; round < 10; round += 1) {
      agent.ask(2);
      await until(`the results of round ${round}`, isComplete);
    }
    const { counters } = await lab.link(2, 'forth');
    t.ok(counters.lost > 0, `${counters.lost} packets lost`);
    await calm();
    nothingLostNorDoubled(t);
  });
}
