import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Program } from './_support/program.js';
import { AGENT_SCRIPT, RealAgent } from './_support/real-agent.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('an agent and a second one with a copy of its state directory both end, and report why', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.start(t, api);
  const copy = join(temporaryDirectory(t), 'copy');
  // a file that the agent is writing at this moment is renamed during the copy
  cpSync(agent.stateDir, copy, { recursive: true, filter: (path) => !path.endsWith('.new') });
  const second = Program.start(t, AGENT_SCRIPT, { args: ['run', '--state-dir', copy] });
  const [original, copied] = await Promise.all([agent.program.ended, second.ended]);
  t.match([original.code, copied.code], [3, 3], 'a restart does not help');
  for (const { stderr } of [original, copied]) t.match(stderr, /this node is banned/);
  t.match(original.stderr + copied.stderr, /state directory was copied|took over/);
  const { body } = await api.call('GET', '/v1/admin/nodes?quarantined=true');
  t.match(body.data.items, [{ id: agent.nodeId, ban: { is_quarantine: true } }]);
});
