import t from 'tap';
import type { TObject } from 'typebox';
import { program } from '../src/audit-log/actor.js';
import { routes } from '../src/wiring/modules.js';
import { nameOf, operations, recordIn, sampleBody } from './_support/all-samples.js';
import { CheckingNode } from './_support/checking-node.js';
import { asUser } from './_support/owners.js';
import { startStack } from './_support/stack.js';

const creating = routes.filter(
  ({ method, auth, replies }) =>
    method === 'POST' && 201 in replies && auth.kind === 'scope' && auth.scope !== 'account',
);

t.test('every record that an API key can create shows whether a test key created it', async (t) => {
  t.ok(creating.length >= 8, `${creating.length} kinds of records`);
  for (const route of creating) {
    const { properties } = route.replies[201] as TObject;
    const name = operations.get(nameOf(route))?.recordName;
    t.hasProp(name === undefined ? properties : (properties[name] as TObject).properties, 'is_test', route.path);
  }
});

t.test('is_test is shown when a record is created, read, listed and changed', async (t) => {
  const { api, controlPlane } = await startStack(t);
  await CheckingNode.join(t, api);
  const grantor = asUser(api.userId);
  for (const type of ['test', 'production'] as const) {
    const request = {
      name: type,
      type,
      scopes: ['monitor:read', 'monitor:write', 'alert:read', 'alert:write'] as const,
    };
    const { key: as } = await controlPlane.services.tokens.apiKeys.create(
      grantor,
      { ...request, scopes: [...request.scopes] },
      program,
    );
    const is_test = type === 'test';
    for (const { path } of creating) {
      const fill = { text: `Shop ${type}`, userId: api.userId };
      const { otherBodies = [] } = operations.get(`POST ${path}`) ?? {};
      const others = otherBodies.map((body) => body({ ...fill, text: `Other shop ${type}` }));
      const change = sampleBody(`PATCH ${path}/{id}`, fill);
      for (const body of [sampleBody(`POST ${path}`, fill), ...others]) {
        const made = await api.call('POST', path, { body, as });
        const record = recordIn(`POST ${path}`, made.body);
        t.match([made.status, record?.is_test], [201, is_test], `POST ${path}`);
        const { id } = record;
        t.equal((await api.call('GET', `${path}/${id}`, { as })).body.data.is_test, is_test, `GET ${path}/{id}`);
        t.equal((await api.call('PATCH', `${path}/${id}`, { body: change, as })).body.data.is_test, is_test);
        const { items } = (await api.call('GET', path, { as })).body.data;
        t.equal(items.find((item: { id: string }) => item.id === id).is_test, is_test, `GET ${path}`);
      }
    }
  }
});
