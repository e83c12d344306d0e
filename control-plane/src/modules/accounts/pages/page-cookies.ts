import type { RouteRequest } from '../../../http/route.js';

/** Life of the cookie that binds what a browser began to it, in seconds: that of a pending sign-in. */
const SIGN_IN_SECONDS = 600;
/** Browsers keep no cookie longer than 400 days; the session ends earlier by itself. */
const SESSION_SECONDS = 180 * 86_400;

type WithHeaders = Pick<RouteRequest<unknown, unknown, unknown>, 'header'>;

/**
 * The two cookies of pages. Both are for this host alone, not read by scripts and not sent with requests that other sites start
 * (RFC 6265bis section 4.1.3). The API reads neither.
 */
export class PageCookies {
  readonly #isSecure: boolean;

  /** `publicUrl`: with http, as on a machine of one's own, browsers accept neither `__Host-` nor Secure. */
  constructor(publicUrl: string) {
    this.#isSecure = publicUrl.startsWith('https:');
  }

  /** Cookie of the session; null if the request has none. */
  session(request: WithHeaders): string | null {
    return this.#read(request, 'vantage_session');
  }

  /** Cookie that binds a sign-in under way to this browser; null if the request has none. */
  signIn(request: WithHeaders): string | null {
    return this.#read(request, 'vantage_sign_in')?.split('.')[0] ?? null;
  }

  /** Page to go to after a sign-in that leads over another site, as `setSignIn` kept it; null if it kept none. */
  signInNext(request: WithHeaders): string | null {
    const [, next] = this.#read(request, 'vantage_sign_in')?.split('.') ?? [];
    return next === undefined ? null : Buffer.from(next, 'base64url').toString();
  }

  setSession(value: string): string {
    return this.#write('vantage_session', value, SESSION_SECONDS);
  }

  /** `next`: page to go to afterwards, where the address of the sign-in cannot keep it. */
  setSignIn(value: string, next: string | null = null): string {
    const kept = next === null ? '' : `.${Buffer.from(next).toString('base64url')}`;
    return this.#write('vantage_sign_in', value + kept, SIGN_IN_SECONDS);
  }

  readonly clearSession = () => this.#write('vantage_session', '', 0);
  readonly clearSignIn = () => this.#write('vantage_sign_in', '', 0);

  #read(request: WithHeaders, name: string): string | null {
    const full = this.#fullName(name);
    for (const pair of (request.header('cookie') ?? '').split(/[;,]\s*/)) {
      const [key, value = ''] = pair.split('=', 2);
      if (key?.trim() === full && /^[\w-]{1,200}(?:\.[\w-]{1,3000})?$/.test(value)) return value;
    }
    return null;
  }

  #write(name: string, value: string, seconds: number): string {
    const secure = this.#isSecure ? '; Secure' : '';
    return `${this.#fullName(name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  #fullName(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
