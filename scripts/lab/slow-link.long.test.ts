import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startLinkedLab } from './_support/linked-lab.js';
import { missingForLab } from './_support/missing-for-lab.js';

const skip = await missingForLab();

if (skip !== false) t.test('a link over a slow network', { skip }, async () => {});
else {
  const { lab, agent, calm, isComplete, isOpen, nothingLostNorDoubled } = await startLinkedLab(t);
  const { seen } = agent;

  t.test('on a line of 64 kbit/s a backlog flows, the link survives, and heartbeats pass', async (t) => {
    await until('the link is open', isOpen);
    const before = seen.rows.length;
    agent.grant(0);
    agent.ask(200);
    await until('a backlog', () => seen.heartbeats.at(-1)?.spoolRows === 200);
    const [{ links }, quiet] = [{ ...seen }, seen.heartbeats.length];
    await lab.setLink(2, 'both', { rateBitsPerSecond: 64_000, queueBytes: 64_000 });
    // the next link has credit from its welcome on
    agent.hangUp();
    await until('all results', isComplete);
    await calm();
    nothingLostNorDoubled(t);
    t.equal(seen.links, links + 1, 'one link, which lasts');
    // rows that were not known to have arrived when the heartbeat left, and came before it
    const ahead = seen.heartbeats
      .slice(quiet)
      .map(({ spoolRows, receivedRows }) => receivedRows - before - (200 - spoolRows));
    t.comment(`rows before a heartbeat: ${ahead.join(', ')}`);
    t.ok(Math.max(...ahead) <= 130, `${Math.max(...ahead)} of 200 rows before a heartbeat`);
  });

  t.test(
    'with two seconds of latency each way a link opens at its first dial, and corrected times are right',
    async (t) => {
      await until('the link is open', isOpen);
      const { hellos, links } = seen;
      await lab.setLink(2, 'both', { delayMs: 2_000 });
      agent.hangUp();
      await until('the agent dials', () => seen.hellos > hellos);
      await until('the link is open', () => seen.links > links);
      agent.ask(2);
      await until('the results', isComplete);
      nothingLostNorDoubled(t);
      t.same([seen.hellos, seen.links], [hellos + 1, links + 1], 'by one dial, which lasts');
      for (const { clockOffsetMs, uncertaintyMs } of seen.rows.slice(-2)) {
        t.ok(Math.abs(clockOffsetMs) <= uncertaintyMs + 50, `${clockOffsetMs} ms, give or take ${uncertaintyMs}`);
      }
      await calm();
    },
  );
}
