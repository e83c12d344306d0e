import { monitorTypeNames, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import t from 'tap';
import { startStack } from './_support/stack.js';

t.test('the API document has the settings of every type of monitor, each under its name', async (t) => {
  const { api } = await startStack(t);
  const { components, paths } = (await api.call('GET', '/v1/openapi.json', { as: null })).body;
  const body = paths['/v1/monitors'].post.requestBody.content['application/json'].schema;
  const variants = body.anyOf.map(({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1) ?? '']);
  for (const type of [...monitorTypeNames, 'heartbeat'] as const) {
    const variant = variants.find((one: { properties: { type: { enum: string[] } } }) =>
      one.properties.type.enum.includes(type),
    );
    t.ok(variant, type);
    if (type === 'heartbeat') continue;
    const settings = components.schemas[variant.properties.config.$ref.split('/').at(-1)];
    t.strictSame(Object.keys(settings.properties), Object.keys(monitorTypes[type].Config.properties), type);
  }
});
