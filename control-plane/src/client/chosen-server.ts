import type { Login } from './saved-login.js';

/** URL where no other is given. */
export const USUAL_URL = 'http://127.0.0.1:8080';

/** Places where URL and token may stand. */
interface Sources {
  /** Option of the command. */
  readonly option: string | undefined;
  readonly env: { readonly url: string | null; readonly token: string | null };
  readonly saved: Login | null;
  /** URL of the server that this client comes from; null: none. */
  readonly origin: string | null;
}

/**
 * URL and token of a command: the option, then the environment, then the login, then the server that the client comes from.
 * The token of a login goes to its own origin alone.
 */
export function chosenServer({ option, env, saved, origin }: Sources): {
  readonly url: string;
  readonly token: string | null;
} {
  const url = option ?? env.url ?? saved?.url ?? origin ?? USUAL_URL;
  const isOfLogin = saved !== null && URL.canParse(url) && new URL(url).origin === new URL(saved.url).origin;
  return { url, token: env.token ?? (isOfLogin ? saved.token : null) };
}
