import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { CleanRoot } from './clean-root.js';
import type { InstalledControlPlane } from './installed-control-plane.js';

/** Starts and stops the agent where systemd does not run: as the user of its unit, with its one capability. */
const SERVICE = `#!/bin/sh
program=/opt/vantage-agent/current/bin/vantage-agent
case $1 in
  start)
    VANTAGE_ALLOW_TARGETS=127.0.0.0/8 VANTAGE_AGENT_UPGRADE_COMMAND=/opt/vantage-agent/request-upgrade \\
      setsid setpriv --reuid=vantage-agent --regid=vantage-agent --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw \\
      --bounding-set=-all,+net_raw $program run --state-dir /var/lib/vantage-agent >>/run/agent.log 2>&1 </dev/null &
    echo $! >/run/agent.pid ;;
  stop)
    pid=$(cat /run/agent.pid 2>/dev/null) || exit 0
    kill "$pid" 2>/dev/null
    # a process that nothing waits for has no command line
    while grep -q . "/proc/$pid/cmdline" 2>/dev/null; do sleep 0.1; done ;;
esac
`;
/** Looks for the wanted version, as vantage-agent-upgrade.path does. */
const PATH_UNIT = `while sleep 0.2; do
  [ ! -e /var/lib/vantage-agent/upgrade.wanted ] || /opt/vantage-agent/install-agent --upgrade-wanted --health-within 60
done >>/run/upgrade.log 2>&1`;

/** Record of a node, as far as it is read here. */
export interface NodeRecord {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly version: string;
  readonly upgrade: { readonly version: string; readonly state: string; readonly error: unknown } | null;
}

/** Puts into a root what systemd does elsewhere: before the installation, and the unit that looks for a wanted version after it. */
export async function standInForSystemd(root: CleanRoot): Promise<{ watch(t: Pick<Test, 'teardown'>): void }> {
  await mkdir(join(root.path, 'etc/vantage'), { recursive: true });
  await writeFile(join(root.path, 'etc/vantage/service'), SERVICE, { mode: 0o755 });
  await writeFile(join(root.path, 'run/path-unit'), PATH_UNIT);
  return {
    watch(t) {
      const watcher = root.start(['sh', '/run/path-unit']);
      t.teardown(() => watcher.kill('SIGKILL'));
    },
  };
}

/** The one node of a control plane, by the API of its administrators. */
export class AdministeredNode {
  private constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Creates the administrator. */
  static async of({ url, command }: InstalledControlPlane): Promise<AdministeredNode> {
    await command('user', 'create', '--email', 'admin@example.com', '--role', 'admin');
    const token = await command('token', 'create', '--user', 'admin@example.com', '--scopes', 'admin');
    return new AdministeredNode(url, token);
  }

  async record(): Promise<NodeRecord | undefined> {
    const { items } = await this.#call<{ items: NodeRecord[] }>('GET', '/v1/admin/nodes');
    return items.find(({ status }) => status === 'online') ?? items[0];
  }

  /**
   * Waits for five minutes at most, for a new version is on trial for one, and the kept one comes back after it.
   * @throws Error with the last record
   */
  async is(isSo: (record: NodeRecord) => boolean): Promise<NodeRecord> {
    const end = performance.now() + 300_000;
    for (;;) {
      const record = await this.record();
      if (record !== undefined && isSo(record)) return record;
      if (performance.now() > end) throw new Error(`the node is ${JSON.stringify(record)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  isOnline(): Promise<NodeRecord> {
    return this.is(({ status }) => status === 'online');
  }

  /** Requests a version, and waits for the outcome. */
  async upgrade(version: string): Promise<NodeRecord> {
    const record = await this.record();
    await this.#call('POST', `/v1/admin/nodes/${record?.id}/upgrade`, { version });
    return this.is(({ upgrade }) => upgrade?.version === version && ['done', 'failed'].includes(upgrade.state));
  }

  /** Summary of a ping of the node's own loopback address; null if no node takes it. */
  async ping(): Promise<unknown> {
    const response = await fetch(`${this.url}/v1/probe/ping`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target: '127.0.0.1', params: { count: 1 } }),
    });
    if (!response.ok) return null;
    const { data } = (await response.json()) as { data: { task_id: string } };
    const task = await fetch(`${this.url}/v1/probe/tasks/${data.task_id}?wait=20`);
    return ((await task.json()) as { data: { summary: unknown } }).data.summary;
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return ((await response.json()) as { data: T }).data;
  }
}
