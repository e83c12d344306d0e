import type { InstalledControlPlane } from './installed-control-plane.js';

const PATIENCE_MS = 90_000;
/** A plan has so many requests per minute. */
const POLL_MS = 2_000;

/** A monitor that the one node of a control plane checks, by the API of its owner. */
export class ApiMonitor {
  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Creates it. `owner`: e-mail address of an account. */
  static async create(
    { url, command }: InstalledControlPlane,
    owner: string,
    settings: { readonly type: string; readonly target: string; readonly interval_s: number },
  ): Promise<ApiMonitor> {
    const token = await command('token', 'create', '--user', owner, '--scopes', 'monitor:read,monitor:write');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: settings.type, ...settings });
    const { id } = await dataOf<{ id: string }>(`${url}/v1/monitors`, { method: 'POST', headers, body });
    return new ApiMonitor(`${url}/v1/monitors/${id}`, headers);
  }

  /** Beginnings of its checks in order, in milliseconds since the epoch. */
  async checks(): Promise<number[]> {
    return (await this.#checks()).map(({ started_at }) => Date.parse(started_at)).sort((a, b) => a - b);
  }

  /** The newest check, as its owner reads it. */
  async newestCheck(): Promise<object | undefined> {
    return (await this.#checks())[0];
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

  /** Newest first. */
  #checks(): Promise<{ started_at: string }[]> {
    return dataOf(`${this.url}/checks?limit=200`, { headers: this.headers });
  }
}

async function dataOf<T>(url: string, request: RequestInit): Promise<T> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: T }).data;
}
