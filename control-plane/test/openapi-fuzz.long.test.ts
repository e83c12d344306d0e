import t from 'tap';
import { admissionOf, callerKinds } from './_support/fuzz/callers.js';
import { FuzzedApi } from './_support/fuzz/fuzz-api.js';
import { expectSuccesses, tryOperations } from './_support/fuzz/fuzz-suite.js';

const api = await FuzzedApi.start(t);

// that operations refuse others: access.test.ts; here, that the document says whom
t.test(
  'an operation that needs credentials refuses requests without them, and with every kind that does not fit',
  async (t) => {
    for (const operation of api.operations) {
      for (const kind of callerKinds) {
        const status = admissionOf(kind, operation);
        if (status === 'admitted') continue;
        const answer = await api.ask(operation, kind);
        t.equal(answer.status, status, `${operation.operationId} by ${kind}: ${answer.body.error?.code}`);
      }
    }
  },
);

t.test('thirty requests of each operation: none fails or gets an undocumented response', async (t) => {
  await tryOperations(t, api, { count: 30 });
  expectSuccesses(t, api);
});

t.test('each refusal of these requests names the field and what is allowed', async (t) => {
  t.strictSame(Object.fromEntries(api.unclear), {});
});
