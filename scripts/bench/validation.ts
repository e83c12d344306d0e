import { compileSchema } from '@vantage/shared/validation.js';
import { Type } from 'typebox';
import { sized } from './harness.js';
import { type Figure, figureOf } from './statistics.js';

const TIMES = sized(20_000, 100);

/** Ten fields of the kinds that requests have. */
const schema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    type: Type.Enum(['http', 'ping', 'dns'], { type: 'string' }),
    target: Type.String({ minLength: 1, maxLength: 2048 }),
    interval_s: Type.Integer({ minimum: 10, maximum: 1800 }),
    tags: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 20 }),
    group_id: Type.Union([Type.String(), Type.Null()]),
    nodes: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 50 }) }, { additionalProperties: false }),
    starts_at: Type.String({ format: 'date-time' }),
    is_enabled: Type.Boolean(),
    weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: false },
);

const body = JSON.stringify({
  name: 'home page',
  type: 'http',
  target: 'https://example.com/',
  interval_s: 60,
  tags: ['web', 'production'],
  group_id: null,
  nodes: { limit: 3 },
  starts_at: '2026-01-01T00:00:00Z',
  is_enabled: true,
  weight: 0.5,
});

/** Microseconds to check one body that is parsed already. */
export function measureValidation(rounds: number): Figure {
  const check = compileSchema(schema);
  const parsed = Array.from({ length: TIMES }, () => JSON.parse(body));
  const micros: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAt = performance.now();
    for (const value of parsed) if (!check(value).ok) throw new Error('the body is not valid');
    // the first round warms up
    if (round > 0) micros.push(((performance.now() - startedAt) * 1_000) / TIMES);
  }
  return figureOf(micros);
}
