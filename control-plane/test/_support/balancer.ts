import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';
import { until } from './until.js';

/** The load balancers that the operating guide has examples for. */
export type BalancerName = 'nginx' | 'haproxy';

const examples: Readonly<Record<BalancerName, { file: string; listen: RegExp; version: readonly string[] }>> = {
  nginx: { file: 'nginx.conf', listen: /listen 443 ssl;\n(.*\n)*?.*ssl_certificate_key .*\n/, version: ['-v'] },
  haproxy: { file: 'haproxy.cfg', listen: /bind :443 ssl crt \S+/, version: ['-v'] },
};

/** The example as it stands in the guide. */
export function readExample(name: BalancerName): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../../docs/examples/${examples[name].file}`, import.meta.url)),
    'utf8',
  );
}

/** Why tests with it can't run here; false: they can. Never a reason where everything has to be there. */
export function without(name: BalancerName): string | false {
  if (process.env['CI'] === 'true' || spawnSync(name, examples[name].version).status === 0) return false;
  return `${name} is not installed`;
}

/**
 * Runs a balancer by its example in front of three replicas at these ports of loopback; killed with the test. Another
 * address and no TLS is all that differs from what the guide says, and health checks are made more often.
 * @returns its origin
 */
export async function startBalancer(
  t: Test,
  name: BalancerName,
  ports: readonly number[],
  port: number,
): Promise<string> {
  const directory = temporaryDirectory(t);
  const example = withPorts(readExample(name), ports);
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

/** Ports for so many servers that are started again at the same place. */
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

/** SIGTERM lets nginx end its workers; who does not end is killed. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
