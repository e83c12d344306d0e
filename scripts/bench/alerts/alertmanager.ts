import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import { Pool } from 'undici';
import { until } from './pacing.js';

/** Prometheus Alertmanager that sends to one receiver. */
export interface Alertmanager {
  /** Has it take one alert about a monitor. */
  fire(monitor: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Alertmanager with its defaults, and the given lines in its route. */
export async function startAlertmanager(url: string, route: readonly string[] = []): Promise<Alertmanager> {
  demand('prometheus-alertmanager');
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const file = join(directory, 'alertmanager.yml');
  const routed = ['route:', '  receiver: bench', ...route.map((line) => `  ${line}`)];
  const receivers = ['receivers:', '- name: bench', `  webhook_configs: [{url: '${url}', send_resolved: false}]`];
  await writeFile(file, `${[...routed, ...receivers].join('\n')}\n`);
  const port = await freePort();
  const options = [
    `--config.file=${file}`,
    `--storage.path=${directory}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
    '--log.level=error',
  ];
  const child = spawn('prometheus-alertmanager', options, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16, pipelining: 1 });
  const ask = async (method: 'GET' | 'POST', path: string, body?: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`Alertmanager answered ${answer.statusCode}: ${text}`);
  };
  const stop = async () => {
    await pool.close();
    child.kill();
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  await until('Alertmanager is ready', () =>
    ask('GET', '/-/ready').then(
      () => true,
      () => false,
    ),
  );
  return {
    stop,
    fire: (monitor) =>
      ask('POST', '/api/v2/alerts', JSON.stringify([{ labels: { alertname: 'MonitorDown', monitor } }])),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
