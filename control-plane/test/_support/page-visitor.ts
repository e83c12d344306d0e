import { unescapeHtml } from '../../src/http/pages/html.js';

/** A page as it arrived. */
export interface VisitedPage {
  readonly status: number;
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
}

/** A browser without scripts: keeps cookies, follows redirects, and sends the forms of the page that it sees. */
export class PageVisitor {
  readonly cookies = new Map<string, string>();
  /** Values of Set-Cookie of the last visit and its redirects. */
  setCookies: string[] = [];
  page: VisitedPage = { status: 0, path: '', headers: new Headers(), html: '' };

  /** `address`: that of the visitor, for a control plane that trusts its proxies; null: this machine's. */
  constructor(
    private readonly url: string,
    private readonly address: string | null = null,
  ) {}

  get(path: string): Promise<VisitedPage> {
    return this.#visit(path, { method: 'GET' });
  }

  /** Sends the form of the page whose action and hidden act are these, with further fields. */
  submit(
    fields: Readonly<Record<string, string>>,
    {
      act,
      action = this.page.path,
      headers = {},
    }: { act?: string; action?: string; headers?: Record<string, string> } = {},
  ): Promise<VisitedPage> {
    const form = this.forms().find(
      (candidate) =>
        candidate.action.split('?')[0] === action.split('?')[0] &&
        (act === undefined || candidate.hidden['act'] === act),
    );
    if (form === undefined) throw new Error(`no form ${action} ${act ?? ''} on the page ${this.page.path}`);
    const body = new URLSearchParams({ ...form.hidden, ...fields });
    return this.#visit(form.action, { method: 'POST', body, headers: { 'Sec-Fetch-Site': 'same-origin', ...headers } });
  }

  forms(): { action: string; hidden: Record<string, string> }[] {
    return [...this.page.html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
      ([, action = '', inner = '']) => ({
        action: unescapeHtml(action),
        hidden: Object.fromEntries(
          [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
            ([, name = '', value = '']) => [name, unescapeHtml(value)],
          ),
        ),
      }),
    );
  }

  async #visit(path: string, init: RequestInit): Promise<VisitedPage> {
    this.setCookies = [];
    let next = { path, init };
    for (let redirects = 0; redirects < 5; redirects++) {
      const headers = new Headers(next.init.headers);
      headers.set('Accept', 'text/html');
      if (this.address !== null) headers.set('X-Forwarded-For', this.address);
      if (this.cookies.size > 0) headers.set('Cookie', [...this.cookies].map((pair) => pair.join('=')).join('; '));
      const response = await fetch(new URL(next.path, this.url), { ...next.init, headers, redirect: 'manual' });
      this.#keep(response.headers.getSetCookie());
      const html = await response.text();
      const location = response.headers.get('location');
      this.page = { status: response.status, path: next.path, headers: response.headers, html };
      if (response.status !== 303 || location === null || !this.#isHere(location)) return this.page;
      next = { path: location, init: { method: 'GET' } };
    }
    throw new Error(`too many redirects from ${path}`);
  }

  /** False for a redirect to another site, whose address the headers of the page have. */
  #isHere(location: string): boolean {
    return new URL(location, this.url).origin === new URL(this.url).origin;
  }

  #keep(values: readonly string[]): void {
    this.setCookies.push(...values);
    for (const value of values) {
      const [, name = '', content = ''] = /^([^=]+)=([^;]*)/.exec(value) ?? [];
      if (/Max-Age=0\b/.test(value)) this.cookies.delete(name);
      else this.cookies.set(name, content);
    }
  }
}
