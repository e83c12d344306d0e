import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { chainAddresses, makeChain, missingForNamespaces } from './_support/namespaces.js';
import { missingForRawSockets } from './_support/raw-sockets.js';

const script = fileURLToPath(new URL('./_support/two-sessions.js', import.meta.url));

t.test('net-ping and the agent agree on living hosts', { skip: missingForRawSockets() }, async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '127.0.0.1']);
  t.same(JSON.parse(stdout), { netPing: { '127.0.0.1': true }, agent: { '127.0.0.1': true } });
});

// net-ping gives every session of a process the same identifier and the same sequence numbers, and looks at nothing else
t.test(
  'a missing host beside a living one: net-ping takes it for alive, the agent does not',
  { skip: await missingForNamespaces() },
  async (t) => {
    const chain = await makeChain();
    t.teardown(() => chain.remove());
    const { b, nobody } = chainAddresses.v4;
    const answer = JSON.parse(await chain.exec('a', process.execPath, script, b, nobody));
    t.same(answer.agent, { [b]: true, [nobody]: false });
    t.same(answer.netPing, { [b]: true, [nobody]: true });
  },
);
