import t from 'tap';
import { createRow, rows } from './_support/all-samples.js';
import { startStack } from './_support/stack.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly maximum?: number };
}

const sizes = new Set(['limit', 'page_size']);

t.test('every list accepts the documented number of items, and names the parameter that exceeds it', async (t) => {
  const stack = await startStack(t);
  const { api } = stack;
  const ids = new Map<string, string | null>();
  for (const row of rows) {
    const id = await createRow(stack, row, { api, text: row.table });
    for (const path of row.paths) ids.set(path, id);
  }
  const { paths, components } = (await api.call('GET', '/v1/openapi.json', { as: null })).body;
  // a parameter that many operations share is written once
  const whole = (one: Parameter | { $ref: string }): Parameter =>
    '$ref' in one ? components.parameters[one.$ref.replace('#/components/parameters/', '')] : one;
  let lists = 0;
  for (const [path, { get }] of Object.entries<{ get?: { parameters?: (Parameter | { $ref: string })[] } }>(paths)) {
    const named = (get?.parameters ?? []).map(whole);
    const parameters = named.filter(({ name, in: place }) => place === 'query' && sizes.has(name));
    if (parameters.length > 0) lists += 1;
    const [prefix = ''] = path.split('/{');
    const place = path.replace('{id}', ids.get(prefix) ?? 'unknown');
    for (const { name, schema } of parameters) {
      const { maximum = 0 } = schema;
      const most = await api.call('GET', `${place}?${name}=${maximum}`);
      t.equal(most.status, 200, `${path}: ${name}=${maximum}: ${JSON.stringify(most.body.error)}`);
      const more = await api.call('GET', `${place}?${name}=${maximum + 1}`);
      t.equal(more.status, 400, `${path}: ${name}=${maximum + 1}`);
      t.strictSame(Object.keys(more.body.error?.details ?? {}), [name], `${path}: ${name}=${maximum + 1}`);
    }
  }
  t.ok(lists >= 15, `${lists} lists`);
});
