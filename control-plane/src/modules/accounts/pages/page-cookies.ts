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
    return this.#read(request, 'vantage_sign_in');
  }

  setSession(value: string): string {
    return this.#write('vantage_session', value, SESSION_SECONDS);
  }

  setSignIn(value: string): string {
    return this.#write('vantage_sign_in', value, SIGN_IN_SECONDS);
  }

  readonly clearSession = () => this.#write('vantage_session', '', 0);
  readonly clearSignIn = () => this.#write('vantage_sign_in', '', 0);

  #read(request: WithHeaders, name: string): string | null {
    const full = this.#fullName(name);
    for (const pair of (request.header('cookie') ?? '').split(/[;,]\s*/)) {
      const [key, value = ''] = pair.split('=', 2);
      if (key?.trim() === full && /^[\w-]{1,200}$/.test(value)) return value;
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
