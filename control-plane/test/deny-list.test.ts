import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('a changed deny list refuses requests and is sent over open links, within a minute', async (t) => {
  const file = join(temporaryDirectory(t), 'deny.txt');
  writeFileSync(file, 'evil.example\n');
  const clock = new FakeClock(Date.now());
  const { api } = await startStack(t, { VANTAGE_DENY_TARGETS_FILE: file }, clock);
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const { welcome } = await peer.waitFor('the welcome', (frame) => frame.welcome !== null);
  t.match(welcome?.config?.denied, ['evil.example']);
  const probe = async (target: string) => {
    const { body } = await api.call('POST', '/v1/probe/tcp', { body: { target } });
    if (body.error) return body.error.code;
    // answered before time passes: a silent link with work would be cut
    return (await api.call('GET', `/v1/probe/tasks/${body.data.task_id}?wait=30`)).body.data.status;
  };
  t.equal(await probe('www.evil.example:80'), 'PROBE_TARGET_INVALID');
  t.equal(await probe('worse.example:80'), 'completed');
  writeFileSync(file, 'worse.example\n9.9.9.0/24\n');
  clock.advance(30_000);
  const { config } = await peer.waitFor('the configuration', (frame) => frame.config !== null);
  t.strictSame(config?.denied, ['worse.example', '9.9.9.0/24']);
  await until('the request to be refused', async () => (await probe('worse.example:80')) === 'PROBE_TARGET_INVALID');
  t.equal(await probe('9.9.9.9:53'), 'PROBE_TARGET_INVALID');
  t.equal(await probe('evil.example:80'), 'completed');
});
