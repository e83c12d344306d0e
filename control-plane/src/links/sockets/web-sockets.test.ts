import t, { type Test } from 'tap';
import { webSocketPair } from '../../../test/_support/web-socket-pair.js';

const FRAMES = 200;

/** Counts the turns of the event loop from now on. */
function countTurns(t: Test): () => number {
  let turns = 0;
  let next = setImmediate(function again() {
    turns += 1;
    next = setImmediate(again);
  });
  t.teardown(() => clearImmediate(next));
  return () => turns;
}

t.test('frames that come in one read are taken one by one, a turn of the loop each', async (t) => {
  const { client, taken } = await webSocketPair(t);
  const turn = countTurns(t);
  const turns: number[] = [];
  const allTaken = new Promise<void>((resolve) =>
    taken.on('message', () => {
      turns.push(turn());
      if (turns.length === FRAMES) resolve();
    }),
  );
  // one write of them all
  const { _socket: wire } = client as unknown as { _socket: { cork(): void; uncork(): void } };
  wire.cork();
  for (let frame = 0; frame < FRAMES; frame += 1) client.send(Buffer.from([frame]));
  wire.uncork();
  await allTaken;
  t.equal(new Set(turns).size, FRAMES);
});
