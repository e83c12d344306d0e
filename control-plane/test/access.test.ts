import t from 'tap';
import { accessOf, type Caller } from './_support/access.js';
import { createRow, documented, fileOf, nameOf, publicPaths, rows, stated } from './_support/all-samples.js';
import { startStack } from './_support/stack.js';

t.test('every documented operation admits the callers that the samples of its module state', async (t) => {
  for (const { file, documented: routes, samples } of stated) {
    const { operations = {} } = samples;
    for (const route of routes) {
      const sample = operations[nameOf(route)];
      if (sample === undefined) {
        t.fail(`${nameOf(route)}: state who may call it under operations in ${file}`);
        continue;
      }
      const { isOpenToUnverified, ...auth } = sample.callers;
      t.strictSame(route.auth, auth, nameOf(route));
      t.equal(route.isOpenToUnverified, isOpenToUnverified, `${nameOf(route)}: unverified accounts`);
    }
    const unknown = Object.keys(operations).filter((name) => !routes.some((route) => nameOf(route) === name));
    t.strictSame(unknown, [], `operations in ${file} that its module does not have`);
  }
});

const stack = await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' });
const { all, call, credentialsOf, checkAll } = accessOf(stack);

// every operation by every caller: access.long.test.ts
t.test('every operation admits the callers it declares, and refuses all others with the right code', async (t) => {
  const called = new Set<string>();
  // every caller calls one operation of each admission, and every operation is called without credentials and by one
  // caller, in turn
  await checkAll(t, (route, caller, turn) => {
    const { auth, isOpenToUnverified, method } = route;
    const rest = caller.isVerified ? [] : [isOpenToUnverified, method === 'GET'];
    const pair = JSON.stringify([all.indexOf(caller), auth, ...rest]);
    const isFirst = !called.has(pair);
    called.add(pair);
    return isFirst || caller.kind === 'none' || turn === 0;
  });
});

t.test('resources of another account do not exist, for any operation', async (t) => {
  const foreign = new Map<string, string | null>();
  for (const row of rows) {
    const id = await createRow(stack, row, { api: stack.api, text: `theirs: ${row.table}` });
    for (const path of row.paths) foreign.set(path, id);
  }
  const stranger = all.find(({ name }) => name === 'a session') as Caller;
  for (const route of documented.filter(({ path }) => path.includes('{'))) {
    if (route.auth.kind === 'admin') continue;
    const prefix = route.path.slice(0, route.path.indexOf('/{'));
    if (publicPaths.has(prefix)) continue;
    const id = foreign.get(prefix) ?? null;
    if (id === null)
      t.fail(`${nameOf(route)}: state a row with the path ${prefix} under rows in ${fileOf(nameOf(route))}`);
    else t.match(await call(route, await credentialsOf(stranger), id), /^404 /, nameOf(route));
  }
});
