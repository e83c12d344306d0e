import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { ProviderSettings } from '../../../src/config/oauth-settings.js';

export { walk } from '@vantage/shared/_support/provider-walk.js';

/** An external provider in a process of its own. */
export interface TestProvider {
  readonly url: string;
  readonly settings: ProviderSettings;
  /** Ends the process; no one answers at its address any more. */
  stop(): Promise<void>;
}

/** oidc-provider, whose clients may send browsers to one address. */
export async function startOidc(t: Test, redirectUri: string): Promise<TestProvider> {
  const { url, stop } = await startProgram(t, 'oidc-server.js', [redirectUri]);
  const shared = { client_id: 'vantage', client_secret: 'secret of vantage' };
  return { url, settings: { id: 'oidc', name: 'Example ID', kind: 'oidc', issuer: url, ...shared }, stop };
}

/** Stand-in for GitHub; `set` chooses its person, and a fault until the next call. */
export async function startGithub(t: Test): Promise<TestProvider & { set(state: object): Promise<void> }> {
  const { url, stop } = await startProgram(t, 'github-server.js', []);
  const shared = { client_id: 'vantage', client_secret: 'secret of vantage' };
  return {
    url,
    settings: { id: 'github', name: 'GitHub', kind: 'github', base_url: url, ...shared },
    stop,
    set: async (state) => void (await fetch(`${url}/stand-in`, { method: 'PUT', body: JSON.stringify(state) })),
  };
}

/** A person of the stand-in for GitHub. */
export function githubPerson(id: number, login: string, { verified = true } = {}) {
  return { id, login, emails: [{ email: `${login}@people.example`, primary: true, verified }] };
}

async function startProgram(
  t: Test,
  name: string,
  args: readonly string[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  t.teardown(stop);
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as Readable });
    lines.on('line', (line) => line.startsWith('http') && resolve(line));
    lines.on('close', () => reject(new Error(`${name} has no address`)));
  });
  return { url, stop };
}
