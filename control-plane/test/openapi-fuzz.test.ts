import t from 'tap';
import { admissionOf, callerKinds } from './_support/fuzz/callers.js';
import { FuzzedApi } from './_support/fuzz/fuzz-api.js';
import { expectSuccesses, tryEveryOperation } from './_support/fuzz/fuzz-suite.js';

t.setTimeout(120_000);
const api = await FuzzedApi.start(t);

t.test('whatever is asked, no operation fails or answers what the document does not say', (t) =>
  tryEveryOperation(t, api, 30),
);

t.test('what is asked as documented succeeds for most operations', async (t) => expectSuccesses(t, api));

t.test('an operation that needs credentials is refused without, and by every kind that does not fit', async (t) => {
  for (const operation of api.operations) {
    for (const kind of callerKinds) {
      const status = admissionOf(kind, operation);
      if (status === 'admitted') continue;
      const answer = await api.ask(operation, kind);
      t.equal(answer.status, status, `${operation.operationId} by ${kind}: ${answer.body.error?.code}`);
    }
  }
});

t.test('a method that a path does not have is 405 with those it has', async (t) => {
  const place = ['components', 'responses', 'MethodNotAllowed', 'content', 'application/json', 'schema'];
  for (const path of new Set(api.operations.map((operation) => operation.path))) {
    const known = api.operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const allowed = new Set([...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((name) => !allowed.has(name))) {
      const response = await fetch(new URL(path.replaceAll(/[{}]/g, ''), api.stack.api.url), { method });
      t.equal(response.status, 405, `${method} ${path}`);
      t.strictSame(new Set(response.headers.get('allow')?.split(', ')), allowed, path);
      t.equal(api.schemas.complaintAbout(await response.json(), place), null, path);
    }
  }
});
