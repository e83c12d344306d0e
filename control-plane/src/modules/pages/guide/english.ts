import { html } from '../../../http/html.js';
import type { GuideText } from './guide-text.js';

export const english: GuideText = {
  title: 'Getting started with curl',
  introduction: html`<p class="lead">From an account to the first results, with a shell and curl alone.</p>
<p>Paste the commands one after the other into the same shell. What they answer is JSON: a success is <code>{"data": …, "request_id": …, "meta": …}</code>, an error <code>{"error": {"code": …, "message": …}, "request_id": …}</code>.</p>`,
  contents: 'Contents',
  steps: {
    setUp: {
      heading: 'Set up',
      before: html`<p>Where the API is, and a small function that takes a field out of an answer.</p>`,
    },
    register: {
      heading: 'Register',
      before: html`<p>Use an address you can read, and a password of your own: at least eight characters, and none of the common ones.</p>`,
      after: html`<p>The answer (201) has tokens at once. If the address has an account already, it is 409 <a href="/docs/errors/ACCOUNT_EMAIL_TAKEN"><code>ACCOUNT_EMAIL_TAKEN</code></a>.</p>`,
    },
    verify: {
      heading: 'Verify your address',
      before: html`<p>A mail has come with a link and a token. Open the link, or put the token here. (A server of your own that sends no mails writes them into <code>mail/</code> of its data directory; the <code>.txt</code> files are for reading.)</p>`,
      after: html`<p>Until then a few operations, those that could bother others, answer 403 <a href="/docs/errors/ACCOUNT_EMAIL_UNVERIFIED"><code>ACCOUNT_EMAIL_UNVERIFIED</code></a>.</p>`,
    },
    logIn: {
      heading: 'Log in',
      before: html`<p>The access token goes into the <code>Authorization</code> header. It is valid for 15 minutes.</p>`,
    },
    refresh: {
      heading: 'Refresh',
      before: html`<p>The refresh token gets the next pair of tokens, without the password. It works once: keep the new one.</p>`,
      after: html`<p>A refresh token that is used a second time ends the session, since somebody else may have it. If an answer got lost, the same token works again for 10 seconds.</p>`,
    },
    makeKey: {
      heading: 'Make a read-only key',
      before: html`<p>Programs use keys, not your login. A key has only the scopes you give it, and is shown this once. <code>read</code> lets it read probes, monitors, alerts, status pages and bills, and do nothing.</p>`,
      after: html`<p>Without <code>scopes</code> a key may read and write. It is valid for at most 90 days; revoked, it stops working at once.</p>`,
    },
    probe: {
      heading: 'Run a probe, read it with the key',
      before: html`<p>Up to three nodes on different networks fetch a page. The answer (202) names a task; <code>wait=30</code> waits for its end.</p>`,
      after: html`<p>No account is needed for probes: leave the header out, and whoever has the task's id can read it. Made with credentials, only the account can. 422 with <code>details.nodes</code> means that no node is online yet: start an agent first.</p>`,
    },
    refused: {
      heading: 'Be refused',
      before: html`<p>The key may not start probes, nor touch the account. And without credentials there is no account to show.</p>`,
      after: html`<p>403 <a href="/docs/errors/FORBIDDEN"><code>FORBIDDEN</code></a> twice: the credentials are good, but lack the scope. Then 401 <a href="/docs/errors/AUTH_REQUIRED"><code>AUTH_REQUIRED</code></a>. Every error has a <code>doc_url</code> that explains it.</p>`,
    },
    limits: {
      heading: 'See your limits',
      before: html`<p>Answers of limited operations say how much is left: <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code>, <code>X-RateLimit-Reset</code>.</p>`,
      after: html`<p>When nothing is left, the answer is 429 <a href="/docs/errors/RATE_LIMIT_EXCEEDED"><code>RATE_LIMIT_EXCEEDED</code></a>, and <code>Retry-After</code> says how many seconds to wait.</p>`,
    },
    repeat: {
      heading: 'Repeat safely',
      before: html`<p>If a connection breaks, did the request happen? With an <code>Idempotency-Key</code> of your own any POST can be sent again: it happens once.</p>`,
      after: html`<p>The second answer is the first one, marked <code>Idempotent-Replayed: true</code>. The same key with another body is 409 <a href="/docs/errors/CONFLICT"><code>CONFLICT</code></a>. Keys are kept for 24 hours.</p>`,
    },
    lists: {
      heading: 'Page through lists',
      before: html`<p>Lists take <code>page</code> and <code>page_size</code>. Those that can grow without end take <code>limit</code> and a <code>cursor</code>, which is in <code>meta.pagination.next_cursor</code> of the page before.</p>`,
      after: html`<p>There is more as long as <code>meta.pagination.has_more</code> is true.</p>`,
    },
    languages: {
      heading: 'Errors, and their language',
      before: html`<p>Programs look at <code>error.code</code>. People read <code>error.message</code>, in English or Chinese, as <code>Accept-Language</code> asks for. What is wrong with a request is in <code>error.details</code>, all fields at once.</p>`,
      after: html`<p>The second request lacks its target and asks for too many packets: 400 <a href="/docs/errors/VALIDATION_FAILED"><code>VALIDATION_FAILED</code></a> names both.</p>`,
    },
    caching: {
      heading: 'Transfer less',
      before: html`<p>The list of nodes has an <code>ETag</code>: send it back, and 304 without a body says that nothing changed. Large answers are compressed for those who accept it.</p>`,
    },
    leave: {
      heading: 'Log out',
      before: html`<p>Ends this session at once. Keys go on working until they expire or you revoke them.</p>`,
      after: html`<p>The token is worth nothing now: 401 <a href="/docs/errors/AUTH_SESSION_INVALID"><code>AUTH_SESSION_INVALID</code></a>.</p>`,
    },
  },
  ending: html`<p>Everything else is in the <a href="/docs">API reference</a>, where each operation can be tried, and in the <a href="/v1/openapi.json">OpenAPI document</a> it is made from.</p>`,
};
