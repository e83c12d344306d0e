import { rmSync } from 'node:fs';
import path from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { PASSPHRASE } from './_support/backups.js';
import { finishedTask, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { createAdminByCommand, runControlCommand, startServer } from './_support/real-server.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test(
  'a backup taken under a running server, restored after its machine is lost, keeps every result it had, and agents send again what they delivered since',
  async (t) => {
    const home = temporaryDirectory(t);
    const dataDir = path.join(home, 'data');
    const file = path.join(home, 'v.backup');
    const environment = {
      VANTAGE_DATA_DIR: dataDir,
      VANTAGE_LISTEN: `127.0.0.1:${await lastingPort()}`,
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
      VANTAGE_BACKUP_PASSPHRASE: PASSPHRASE,
    };
    const server = await startServer(t, environment);
    const api = await createAdminByCommand(server.url, environment);
    const agent = await RealAgent.start(t, api);
    const target = new URL(api.url).host;
    const probe = async () => {
      const { taskId } = await submit(api, 'tcp', { target, node_id: agent.nodeId });
      await finishedTask(api, taskId);
      return taskId;
    };
    const kept = [await probe(), await probe(), await probe()];
    // its results arrive after the backup
    const slow = await submit(api, 'ping', {
      target: '127.0.0.1',
      node_id: agent.nodeId,
      params: { count: 50, interval_ms: 1000 },
    });
    const read = async (id: string) => (await api.call('GET', `/v1/probe/tasks/${id}`)).body.data;
    const before = await Promise.all(kept.map(read));

    const backup = await runControlCommand({ args: ['backup', file], environment });
    t.match(backup, { code: 0 }, 'next to the running server');
    t.not((await read(slow.taskId)).status, 'completed', 'the slow task still runs');
    await until('the slow task to end', async () => (await read(slow.taskId)).status !== 'running');
    const late = await read(slow.taskId);
    t.match(late, { status: 'completed', node_results: [{ success: true }] });
    t.match(await server.program.terminate(), { code: 0 });
    rmSync(dataDir, { recursive: true });

    t.match(await runControlCommand({ args: ['restore', file], environment }), { code: 0 });
    await startServer(t, environment);
    await agent.waitUntilOnline();
    t.same(await Promise.all(kept.map(read)), before, 'results that the backup held');
    // its task may have ended without it: then it is late, and the task has a result in its place until it arrives
    let again = (await finishedTask(api, slow.taskId)).node_results[0];
    await until('the result to be sent again', async () => {
      [again] = (await read(slow.taskId)).node_results;
      return again?.success ?? false;
    });
    t.match(
      again,
      late.node_results[0],
      'a result that was acknowledged after the backup, of a task that the backup has',
    );
    await probe();
    await agent.waitForStatus({ isConnected: true, rows: 0 });
  },
);
