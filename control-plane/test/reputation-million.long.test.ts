import t from 'tap';
import { ListServer } from './_support/list-server.js';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { millionLines } from './_support/million-lines.js';
import { startReputation } from './_support/reputation-world.js';

t.test('a million lines are downloaded, stored and put into use without holding the event loop', async (t) => {
  const server = await ListServer.start(t);
  server.serve('/vpn.txt', '8.8.8.8');
  const world = await startReputation(t, [
    { name: 'vpn', signal: 'vpn', format: 'cidrs', url: `${server.url}/vpn.txt`, refresh_s: 300 },
  ]);
  await world.untilScored('8.8.8.8', 60);
  const lines = millionLines();
  let attempt = 0;
  await holdsNobodyUp(t, 'a new version', async () => {
    attempt += 1;
    server.serve('/vpn.txt', Buffer.concat([lines, Buffer.from(`\n1.1.1.${attempt}`)]));
    await world.refresh('vpn');
    await world.untilScored(`1.1.1.${attempt}`, 60);
  });
  t.match(await world.listed('vpn'), { version: { lines: 1_000_001, unreadable_lines: 0 } });
});
