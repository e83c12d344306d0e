import { text } from 'node:stream/consumers';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { Command } from 'commander';
import { readClientEnv, readEnv } from '../config/config.js';
import { promptSecret } from '../terminal/prompt-secret.js';
import { ApiClient } from './api-client.js';
import { loginPath, removeLogin, saveLogin } from './saved-login.js';
import { withServer } from './with-client.js';

interface LoginOptions {
  readonly url?: string;
}

/** `vantage login` and `vantage logout`. */
export function loginCommands(): Command[] {
  const login = new Command('login')
    .description('Keep the URL of an API and a token for later commands; the token is read without an echo')
    .option('--url <url>', 'address of the API')
    .addHelpText(
      'after',
      `
A token (svc_pat_…) comes from the operator (\`vantage-control token create\`), or
you create one, once your e-mail address is verified:
  JSON='Content-Type: application/json'
  curl -s https://vantage.example/v1/auth/login -H "$JSON" \\
    -d '{"email":"ada@example.com","password":"…"}'
  curl -s https://vantage.example/v1/account/tokens -H "$JSON" \\
    -H 'Authorization: Bearer ACCESS-TOKEN' -d '{"name":"laptop"}'

Examples:
  vantage login --url https://vantage.example
  vantage login < token-file`,
    )
    .action(logIn);
  const logout = new Command('logout')
    .description('Forget the URL and the token')
    .addHelpText('after', '\nExample:\n  vantage logout')
    .action(logOut);
  return [login, logout];
}

/** Keeps a token only if the API accepts it. */
async function logIn(options: LoginOptions): Promise<void> {
  await withServer(options, async ({ url }) => {
    const { directory } = readClientEnv();
    const token = await readToken(url);
    await new ApiClient({ url, token }).call('GET', '/v1/nodes?page_size=1');
    saveLogin(directory, { url, token });
    const { width } = screenOf(process.stderr, readEnv());
    const text = `logged in at ${url}; the token is kept in ${loginPath(directory)}`;
    process.stderr.write(`${wrapText(textCell(text), width).join('\n')}\n`);
  });
}

async function readToken(url: string): Promise<string> {
  const given = process.stdin.isTTY ? await promptSecret(`token for ${url}: `) : await text(process.stdin);
  return given.trim();
}

function logOut(): void {
  const { directory } = readClientEnv();
  const outcome = removeLogin(directory)
    ? 'logged out; the token is still valid until it is revoked'
    : 'no login is kept';
  process.stderr.write(`${outcome}\n`);
}
