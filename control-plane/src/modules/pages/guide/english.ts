import { html } from '../../../http/pages/html.js';
import type { GuideText } from './guide-text.js';

export const english: GuideText = {
  title: 'Getting started with curl',
  introduction: html`<p class="lead">From an account to the first results, with a shell and curl alone.</p>
<p>Paste the commands one after another into the same shell. Responses are JSON: a success is <code>{"data": …, "request_id": …, "meta": …}</code>, an error <code>{"error": {"code": …, "message": …}, "request_id": …}</code>.</p>`,
  contents: 'Contents',
  steps: {
    setUp: {
      heading: 'Set up',
      before: html`<p>Set the address of the API, and define a small function that extracts a field from a response.</p>`,
    },
    register: {
      heading: 'Register',
      before: html`<p>Use an address whose mail you can read, and a password of your own: at least eight characters, and not a common one.</p>`,
      after: html`<p>The response (201) has tokens. If an account with this address exists, it is 409 <a href="/docs/errors/ACCOUNT_EMAIL_TAKEN"><code>ACCOUNT_EMAIL_TAKEN</code></a>.</p>`,
    },
    verify: {
      heading: 'Verify your address',
      before: html`<p>You have received a mail with a link and a token. Open the link and enter your password, or insert the token here; the password shows that the person who registered reads the mail. (An installation without <code>VANTAGE_SMTP_URL</code> sends no mail: it writes mails to <code>mail/</code> in the data directory of its server, as readable <code>.txt</code> files.)</p>`,
      after: html`<p>Until then you may sign in, read, probe and change your profile; every other operation returns 403 <a href="/docs/errors/ACCOUNT_EMAIL_UNVERIFIED"><code>ACCOUNT_EMAIL_UNVERIFIED</code></a>.</p>`,
    },
    logIn: {
      heading: 'Log in',
      before: html`<p>The access token goes into the <code>Authorization</code> header. It is valid for 15 minutes.</p>`,
    },
    refresh: {
      heading: 'Refresh',
      before: html`<p>The refresh token gets the next pair of tokens, without the password. It works once: store the new one.</p>`,
      after: html`<p>A refresh token that is used a second time ends the session, since someone else may have it. If a response was lost, the same token works again for 10 seconds.</p>`,
    },
    makeKey: {
      heading: 'Create a read-only key',
      before: html`<p>Programs use keys, not your login. A key has only the scopes that you give it, and is shown only once. With <code>read</code> it can read probes, monitors and alerts, and change nothing.</p>`,
      after: html`<p>Without <code>scopes</code> a key may read and write. It is valid for at most 90 days; a revoked key stops working at once.</p>`,
    },
    probe: {
      heading: 'Run a probe, read it with the key',
      before: html`<p>Up to three nodes in different networks fetch a page. The response (202) has the id of a task; <code>wait=30</code> waits for its end.</p>`,
      after: html`<p>No account is needed for probes: without the header, everyone who has the id of the task can read it. Only the account can read a task that was created with credentials. 503 with <code>details.nodes</code> means that no node is online yet: start an agent first.</p>`,
    },
    lookUp: {
      heading: 'Look something up',
      before: html`<p>Lookups say what registries, servers and databases know about a domain or an address: <code>whois</code>, <code>ssl</code>, <code>dns</code>, <code>icp</code>, <code>headers</code> and <code>ip</code> below <code>/v1/info/</code>, and <code>/v1/ip/reputation</code>. They need no account.</p>`,
      after: html`<p>One node is asked, once for all callers: <code>meta.cache</code> of the second response has <code>hit</code>, and how old the answer is.</p>`,
    },
    refused: {
      heading: 'See errors',
      before: html`<p>The key may neither start probes nor read the account. Without credentials, there is no account to show.</p>`,
      after: html`<p>403 <a href="/docs/errors/FORBIDDEN"><code>FORBIDDEN</code></a> twice: the credentials are valid, but lack the scope. Then 401 <a href="/docs/errors/AUTH_REQUIRED"><code>AUTH_REQUIRED</code></a>. Every error has a <code>doc_url</code> that explains it.</p>`,
    },
    limits: {
      heading: 'See your limits',
      before: html`<p>Responses of limited operations show how many requests remain: <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code>, <code>X-RateLimit-Reset</code>.</p>`,
      after: html`<p>When none remain, the response is 429 <a href="/docs/errors/RATE_LIMIT_EXCEEDED"><code>RATE_LIMIT_EXCEEDED</code></a>, <code>X-RateLimit-Window</code> is the length of the window in seconds, and <code>Retry-After</code> the number of seconds to wait.</p>`,
    },
    repeat: {
      heading: 'Repeat safely',
      before: html`<p>If a connection breaks, you cannot know if the request was executed. With an <code>Idempotency-Key</code> of your own, you can send any POST again: it is executed once.</p>`,
      after: html`<p>The second response is the first one, marked <code>Idempotent-Replayed: true</code>. The same key with another body is 409 <a href="/docs/errors/CONFLICT"><code>CONFLICT</code></a>. Keys are kept for 24 hours.</p>`,
    },
    lists: {
      heading: 'Page through lists',
      before: html`<p>Lists take <code>page</code> and <code>page_size</code>. Lists without an upper limit take <code>limit</code> and a <code>cursor</code>, which is <code>meta.pagination.next_cursor</code> of the previous page.</p>`,
      after: html`<p>There are more pages while <code>meta.pagination.has_more</code> is true.</p>`,
    },
    languages: {
      heading: 'Errors, and their language',
      before: html`<p>Programs check <code>error.code</code>. People read <code>error.message</code>. <code>error.details</code> lists all invalid fields of a request at once. Both are in English or Chinese, depending on <code>Accept-Language</code>.</p>`,
      after: html`<p>The second request lacks its target and asks for too many packets: 400 <a href="/docs/errors/VALIDATION_FAILED"><code>VALIDATION_FAILED</code></a> lists both.</p>`,
    },
    caching: {
      heading: 'Transfer less',
      before: html`<p>The list of nodes has an <code>ETag</code>: send it back, and a 304 without a body means that nothing has changed. Large responses are compressed if the client accepts it.</p>`,
    },
    leave: {
      heading: 'Log out',
      before: html`<p>Ends this session at once. Keys continue to work until they expire or you revoke them.</p>`,
      after: html`<p>The token is invalid now: 401 <a href="/docs/errors/AUTH_SESSION_INVALID"><code>AUTH_SESSION_INVALID</code></a>.</p>`,
    },
  },
  ending: html`<p>Everything else is in the <a href="/docs">API reference</a>, with a command for each operation, and in the <a href="/v1/openapi.json">OpenAPI document</a> that it is generated from.</p>`,
};
