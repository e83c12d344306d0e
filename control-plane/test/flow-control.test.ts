import { until } from '@vantage/shared/_support/until.js';
import { LaneCode } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { startStack } from './_support/stack.js';

/** Credits of lane check that a peer received, beginning with the welcome's. */
function checkCredits(peer: PeerAgent): number[] {
  return peer.frames
    .flatMap((frame) => [...(frame.welcome?.credits ?? []), ...(frame.credits?.credits ?? [])])
    .filter(({ lane }) => lane === LaneCode.LANE_CHECK)
    .map(({ rows }) => rows ?? 0);
}

t.test(
  'while PostgreSQL takes no results of monitors, agents keep them, one-shot results flow and nothing is lost',
  async (t) => {
    const { api, database } = await startStack(t);
    const options = { isAnswering: false };
    const slow = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'slow' }), options);
    const other = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'other' }));
    const ask = async (peer: PeerAgent) => {
      const body = { target: '127.0.0.1:1', node_id: peer.identity.nodeId };
      return (await api.call('POST', '/v1/probe/tcp', { body })).body.data.task_id as string;
    };
    const isDone = (what: string, id: string) =>
      until(what, async () => (await finishedTask(api, id)).status === 'completed');
    const lock = await database.db.transaction();
    await lock.raw('SELECT 1 FROM ingest_marks WHERE lane = 2 FOR UPDATE');

    const epoch = slow.epoch;
    // of an unknown kind: its numbers are skipped by the same transaction that would store the rows
    for (const first of [1, 2, 3]) {
      const results = [{ kind: 'unheard-of', resultJson: Buffer.from('{}') }];
      slow.send({ results: { epoch, lane: LaneCode.LANE_CHECK, first, results } });
    }
    await until('both to be held back', () => [slow, other].every((peer) => checkCredits(peer).at(-1) === 0));
    await isDone('one-shot results of another node', await ask(other));
    const asked = await ask(slow);
    await until('the job', () => slow.jobs.length === 1);
    slow.sendResults([successOf(slow.jobs[0]?.taskId ?? '', 'tcp')], 1);
    await isDone('those of the node that is held back', asked);
    slow.send({ dropped: { epoch, lane: LaneCode.LANE_TASK, first: 2, last: 5, reason: 'expired' } });
    await slow.waitFor('its gap', (frame) => frame.ack?.lane === LaneCode.LANE_TASK && frame.ack.mark === 5);
    t.notOk(
      slow.frames.some((frame) => frame.ack?.lane === LaneCode.LANE_CHECK),
      'nothing is acknowledged before it is stored',
    );

    await lock.rollback();
    await slow.waitFor('everything kept', (frame) => frame.ack?.lane === LaneCode.LANE_CHECK && frame.ack.mark === 3);
    const { mark } = await database.db('ingest_marks').where({ node_id: slow.identity.nodeId, lane: 2 }).first('mark');
    t.equal(Number(mark), 3, 'nothing is lost');
    await until('full credits', () => checkCredits(slow).at(-1) === 2_000);
    const grown = checkCredits(slow).slice(checkCredits(slow).lastIndexOf(0));
    const isSorted = grown.every((rows, index) => rows > (grown[index - 1] ?? -1));
    t.ok(isSorted && grown.length > 2, `they grow back in steps: ${grown.join(', ')}`);
    t.ok(slow.isOpen && other.isOpen, 'no link was closed');
  },
);
