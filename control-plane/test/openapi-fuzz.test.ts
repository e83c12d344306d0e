import t from 'tap';
import { FuzzedApi } from './_support/fuzz/fuzz-api.js';
import { tryOperations } from './_support/fuzz/fuzz-suite.js';

const api = await FuzzedApi.start(t);

// thirty of every operation, and all kinds of callers: openapi-fuzz.long.test.ts
t.test('no random request makes an operation fail or return an undocumented response', (t) =>
  tryOperations(t, api, { count: 2, oneIn: 4 }),
);

t.test('each refusal of a random request names the field and what is allowed', async (t) => {
  t.strictSame(Object.fromEntries(api.unclear), {});
});

t.test('a method that a path does not have is 405 with those it has', async (t) => {
  const place = ['components', 'responses', 'MethodNotAllowed', 'content', 'application/json', 'schema'];
  for (const [index, path] of [...new Set(api.operations.map((operation) => operation.path))].entries()) {
    const known = api.operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const allowed = new Set([...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((name) => !allowed.has(name));
    for (const method of [others[index % others.length]].filter((name) => name !== undefined)) {
      const response = await fetch(new URL(path.replaceAll(/[{}]/g, ''), api.stack.api.url), { method });
      t.equal(response.status, 405, `${method} ${path}`);
      t.strictSame(new Set(response.headers.get('allow')?.split(', ')), allowed, path);
      const body: unknown = await response.json();
      t.equal(api.schemas.complaintAbout(body, place), null, path);
      t.match(body, { error: { details: { method: [{ message: /^must be one of [A-Z, ]+$/ }] } } });
    }
  }
});
