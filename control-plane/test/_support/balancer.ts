import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

/** Load balancers for which the operating guide has an example configuration. */
export type BalancerName = 'nginx' | 'haproxy';

const examples: Readonly<Record<BalancerName, { file: string; listen: RegExp }>> = {
  nginx: { file: 'nginx.conf', listen: /listen 443 ssl;\n(.*\n)*?.*ssl_certificate_key .*\n/ },
  haproxy: { file: 'haproxy.cfg', listen: /bind :443 ssl crt \S+/ },
};

/** Example configuration from the guide, unchanged. */
export function readExample(name: BalancerName): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../../docs/examples/${examples[name].file}`, import.meta.url)),
    'utf8',
  );
}

/**
 * Runs a balancer with its example configuration in front of three replicas at these ports of loopback; killed with the
 * test. It differs from the guide only in its address, the absence of TLS and more frequent health checks; `edit` may
 * change more.
 * @returns its origin
 */
export async function startBalancer(
  t: Test,
  name: BalancerName,
  ports: readonly number[],
  port: number,
  edit: (example: string) => string = (example) => example,
): Promise<string> {
  const directory = temporaryDirectory(t);
  const example = edit(withPorts(readExample(name), ports));
  const file = path.join(directory, examples[name].file);
  writeFileSync(file, name === 'nginx' ? nginxFile(example, port, directory) : haproxyFile(example, port));
  const args = name === 'nginx' ? ['-c', file, '-p', directory, '-e', 'stderr'] : ['-f', file, '-db'];
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => end(child));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (process.env['VANTAGE_TEST_LOG'] !== undefined) process.stderr.write(text);
  });
  await until(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
    return isListening(port);
  });
  return `http://127.0.0.1:${port}`;
}

/** Reserves ports for `count` servers that are restarted at the same port. */
export async function lastingPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await lastingPort());
  return [...ports];
}

function withPorts(example: string, ports: readonly number[]): string {
  return ports.reduce((text, port, index) => text.replace(`10.0.0.1${index + 1}:8080`, `127.0.0.1:${port}`), example);
}

function nginxFile(example: string, port: number, directory: string): string {
  const server = example.replace(examples.nginx.listen, `listen 127.0.0.1:${port};\n`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  return `daemon off; pid ${directory}/pid; worker_processes 1;
events { worker_connections 512; }
http { access_log off; ${temporary.join(' ')}
${server}
}`;
}

function haproxyFile(example: string, port: number): string {
  return example
    .replace(examples.haproxy.listen, `bind 127.0.0.1:${port}`)
    .replace('maxconn 50000', 'maxconn 500')
    .replace('check inter 2s', 'check inter 200ms');
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((isThere) => {
    socket.destroy();
    return isThere === true;
  });
}

/** SIGTERM lets nginx stop its workers; a process that does not end is killed. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
