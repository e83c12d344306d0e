import { compileCoercingSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { Type } from 'typebox';
import { offsetFields, offsetQuery } from './pagination.js';

const check = compileCoercingSchema(Type.Object(offsetQuery));

t.test(
  'a list read by offset shows 20 from the start unless asked otherwise, and says what was asked for',
  async (t) => {
    t.strictSame(check({}), { ok: true, value: { limit: 20, offset: 0 } });
    t.strictSame(check({ limit: '200', offset: '7' }), { ok: true, value: { limit: 200, offset: 7 } });
    t.strictSame(offsetFields({ limit: 200, offset: 7 }, 9), { total: 9, limit: 200, offset: 7 });
  },
);

t.test('a limit or an offset that is out of range is named', async (t) => {
  for (const limit of ['0', '201', '-1', '1.5', 'all', '']) t.hasProp(detailsOf({ limit }), 'limit', limit);
  for (const offset of ['-1', '1000000001', '0.5', 'x']) t.hasProp(detailsOf({ offset }), 'offset', offset);
});

function detailsOf(query: Record<string, string>): object {
  const result = check(query);
  return result.ok ? {} : result.details;
}
