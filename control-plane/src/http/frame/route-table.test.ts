import t from 'tap';
import { RouteTable } from './route-table.js';

function tableOf(...routes: readonly (readonly [method: string, path: string])[]): RouteTable<string> {
  const table = new RouteTable<string>();
  for (const [method, path] of routes) table.add(method, path, `${method} ${path}`);
  return table;
}

t.test('a literal segment wins over a parameter, whatever was added first', async (t) => {
  const table = tableOf(['GET', '/v1/monitors/{id}'], ['GET', '/v1/monitors/export'], ['GET', '/v1/{kind}/export/all']);
  t.equal(table.find('/v1/monitors/export')?.endpoint.methods.get('GET'), 'GET /v1/monitors/export');
  t.equal(table.find('/v1/monitors/exported')?.endpoint.methods.get('GET'), 'GET /v1/monitors/{id}');
});

t.test('a literal without a route falls back to a parameter', async (t) => {
  const table = tableOf(['GET', '/v1/monitors/export'], ['GET', '/v1/{kind}/{id}/x']);
  const match = table.find('/v1/monitors/export/x');
  t.strictSame(match?.segments, ['monitors', 'export']);
});

t.test('a parameter stands for exactly one segment that is not empty', async (t) => {
  const table = tableOf(['GET', '/v1/nodes/{id}']);
  t.strictSame(table.find('/v1/nodes/n_%31')?.segments, ['n_%31']);
  for (const path of ['/v1/nodes', '/v1/nodes/', '/v1/nodes/a/b', 'v1/nodes/a', '', '/', '*']) {
    t.equal(table.find(path), null, path);
  }
});

t.test('a parameter may be the beginning of a segment with a fixed end, which wins over one without', async (t) => {
  const table = tableOf(['GET', '/badge/{id}'], ['GET', '/badge/{id}.svg']);
  t.match(table.find('/badge/a.svg'), { segments: ['a'], endpoint: { allow: 'GET, HEAD, OPTIONS' } });
  t.equal(table.find('/badge/a.svg')?.endpoint.methods.get('GET'), 'GET /badge/{id}.svg');
  t.strictSame(table.find('/badge/a.b.svg')?.segments, ['a.b']);
  for (const path of ['/badge/a.png', '/badge/.svg'])
    t.equal(table.find(path)?.endpoint.methods.get('GET'), 'GET /badge/{id}', path);
  t.throws(() => tableOf(['GET', '/badge/v{id}']), { name: 'RangeError', message: /"v\{id\}"/ });
});

t.test('Allow lists every method of the path, HEAD with GET', async (t) => {
  const table = tableOf(['GET', '/a/{id}'], ['DELETE', '/a/{id}'], ['POST', '/b']);
  t.equal(table.find('/a/1')?.endpoint.allow, 'GET, DELETE, HEAD, OPTIONS');
  t.equal(table.find('/b')?.endpoint.allow, 'POST, OPTIONS');
});

t.test('a second route for the same method and path is refused', async (t) => {
  t.throws(() => tableOf(['GET', '/a/{id}'], ['GET', '/a/{name}']), {
    name: 'RangeError',
    message: /GET \/a\/\{name\}/,
  });
});
