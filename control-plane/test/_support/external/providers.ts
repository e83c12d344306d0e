import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { ProviderSettings } from '../../../src/config/oauth-settings.js';

/** Parameters with which a provider sends the browser back. */
export interface SentBack {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

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

/** Follows a browser through the pages of a provider until it is sent back; `login` is typed where a page asks for a name, or null declines. */
export async function walk(authorizationUrl: string, login: string | null): Promise<SentBack> {
  const cookies = new Map<string, string>();
  const origin = new URL(authorizationUrl).origin;
  const send = async (url: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const post = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...post });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let response = await send(authorizationUrl);
  for (;;) {
    const location = response.headers.get('location');
    const at = new URL(location ?? response.url, origin);
    if (at.origin !== origin) return Object.fromEntries(at.searchParams) as unknown as SentBack;
    if (location !== null) response = await send(at.href);
    else if (login === null) response = await send(`${at.href}/abort`);
    else {
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(await response.text()) ?? [];
      if (prompt === '') throw new Error(`no page to walk on at ${at.href}: ${response.status}`);
      response = await send(at.href, { prompt, login, password: 'any' });
    }
  }
}

async function startProgram(
  t: Test,
  name: string,
  args: readonly string[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  t.teardown(stop);
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => line.startsWith('http') && resolve(line));
    lines.on('close', () => reject(new Error(`${name} has no address`)));
  });
  return { url, stop };
}
