/** Parameters with which a provider sends the browser back. */
export interface SentBack {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
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
