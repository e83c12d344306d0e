import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { finishedTask, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { createAdminByCommand, startServer } from './_support/real-server.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test(
  'after an older copy of the data directory is restored, agents return and work without intervention',
  async (t) => {
    const home = temporaryDirectory(t);
    const dataDir = path.join(home, 'data');
    const environment = {
      VANTAGE_DATA_DIR: dataDir,
      VANTAGE_LISTEN: `127.0.0.1:${await lastingPort()}`,
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    };
    const serve = () => startServer(t, environment);
    let server = await serve();
    const api = await createAdminByCommand(server.url, environment);
    const agent = await RealAgent.start(t, api);
    const { pid } = agent.program;
    const probe = async () => {
      const { taskId } = await submit(api, 'tcp', { target: new URL(api.url).host, node_id: agent.nodeId });
      t.match(await finishedTask(api, taskId), { status: 'completed', node_results: [{ success: true }] });
      return taskId;
    };
    const kept = await probe();

    t.match(await server.program.terminate(), { code: 0 });
    cpSync(dataDir, path.join(home, 'copy'), { recursive: true, preserveTimestamps: true });
    server = await serve();
    await agent.waitUntilOnline();
    const lost = await probe();
    const keyOf = async () => (await api.call('GET', '/v1/account/nodes')).body.data.items[0].key;
    const before = await keyOf();
    t.match(await api.call('POST', `/v1/account/nodes/${agent.nodeId}/rotate-key`), { status: 200 });
    await until('a key that the copy does not contain', async () => (await keyOf()).fingerprint !== before.fingerprint);

    t.match(await server.program.terminate(), { code: 0 });
    rmSync(dataDir, { recursive: true });
    renameSync(path.join(home, 'copy'), dataDir);
    await serve();
    await agent.waitUntilOnline();
    t.equal(agent.program.pid, pid, 'the same process, not restarted');
    t.match(await api.call('GET', `/v1/probe/tasks/${kept}`), { status: 200 });
    t.match(
      await api.call('GET', `/v1/probe/tasks/${lost}`),
      { status: 404 },
      'what the copy does not contain is gone',
    );
    t.equal((await keyOf()).fingerprint, before.fingerprint, 'the key in the copy is valid again');
    await probe();
    await agent.waitForStatus({ isConnected: true, rows: 0 });
  },
);
