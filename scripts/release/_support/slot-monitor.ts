import type { InstalledControlPlane } from './installed-control-plane.js';

const INTERVAL_S = 60;
const PATIENCE_MS = 90_000;
/** A plan has so many requests per minute. */
const POLL_MS = 2_000;

/** A monitor that the one node of a control plane checks every minute, by the API of its administrator. */
export class SlotMonitor {
  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly id: string,
  ) {}

  /** Creates it; its target is the control plane itself. `user`: e-mail address of an account. */
  static async create({ url, command }: InstalledControlPlane, user: string): Promise<SlotMonitor> {
    const token = await command('token', 'create', '--user', user, '--scopes', 'monitor:read,monitor:write');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'slots', type: 'ping', target: '127.0.0.1', interval_s: INTERVAL_S });
    const response = await fetch(`${url}/v1/monitors`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 201) throw new Error(text);
    return new SlotMonitor(url, headers, JSON.parse(text).data.id);
  }

  /** Beginnings of its checks in order, in milliseconds since the epoch. */
  async checks(): Promise<number[]> {
    const response = await fetch(`${this.url}/v1/monitors/${this.id}/checks?limit=200`, { headers: this.headers });
    if (!response.ok) throw new Error(await response.text());
    const { data } = (await response.json()) as { data: { started_at: string }[] };
    return data.map(({ started_at }) => Date.parse(started_at)).sort((a, b) => a - b);
  }

  /** Waits for the next check, and returns its beginning. @throws Error after a slot and a half without one */
  async nextCheck(): Promise<number> {
    const last = (await this.checks()).at(-1) ?? 0;
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const newest = (await this.checks()).at(-1) ?? 0;
      if (newest > last) return newest;
      if (performance.now() > end) throw new Error(`no check since ${new Date(last).toISOString()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Seconds between each check and the next, of those that began at `from` or later. */
  async gapsSince(from: number): Promise<number[]> {
    const checks = (await this.checks()).filter((at) => at >= from);
    return checks.slice(1).map((at, index) => Math.round((at - (checks[index] ?? 0)) / 1_000));
  }
}
