import { join } from 'node:path';
import { walk } from '@vantage/shared/_support/provider-walk.js';
import { Program } from './program.js';

// A provider of OpenID Connect on this machine, where any name and password sign in:
//
//   /sign-in/oauth/demo ──> the pages of the provider, as forms ──> …/callback ──> a session of a new account

const ID = 'demo';
const NAME = 'Demo provider';

interface DemoProvider {
  /** Setting by which the control plane uses it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts it on a free port of loopback. `url`: the public URL of the control plane. */
export async function startProvider({ root, url }: { root: string; url: string }): Promise<DemoProvider> {
  const script = join(root, 'control-plane', 'dist', 'test', '_support', 'external', 'oidc-server.js');
  const program = new Program('the demo provider', script, [`${url}/sign-in/oauth/${ID}/callback`], {});
  const issuer = await program.waitForLine((line) => (line.startsWith('http') ? line : null));
  const client = { client_id: 'vantage', client_secret: 'secret of vantage' };
  const settings = [{ id: ID, name: NAME, kind: 'oidc', issuer, ...client }];
  return { environment: { VANTAGE_OAUTH: JSON.stringify(settings) }, stop: () => program.stop() };
}

/** Account that a person got by signing in. */
export interface SignInShown {
  readonly provider: string;
  readonly email: string;
}

/** Signs a person in by the provider, as a browser does. @throws Error if no session is the result */
export async function showSignIn(url: string, say: (lines: string) => void): Promise<SignInShown> {
  const cookies = new Map<string, string>();
  const get = async (path: string) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(`${url}${path}`, { redirect: 'manual', headers: { cookie } });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    return { location: response.headers.get('location') ?? '', page: await response.text() };
  };
  const { location } = await get(`/sign-in/oauth/${ID}`);
  const sentBack = await walk(location, 'ada');
  await get(`/sign-in/oauth/${ID}/callback?${new URLSearchParams({ ...sentBack })}`);
  const { page } = await get('/account/security');
  const [email] = /[\w.]+@people\.example/.exec(page) ?? [];
  if (email === undefined) throw new Error('the sign-in by the provider led to no session');
  say(`ada signed in by the ${NAME}: a session of the new account ${email}`);
  return { provider: NAME, email };
}
