import knex from 'knex';
import t from 'tap';
import { isUnavailable } from './unavailable.js';

function withCode(code: string): Error {
  return Object.assign(new Error('x'), { code });
}

const cases = [
  { name: 'connection refused', error: withCode('ECONNREFUSED'), expected: true },
  { name: 'socket file gone', error: withCode('ENOENT'), expected: true },
  { name: 'connection exception', error: withCode('08006'), expected: true },
  { name: 'shut down by the administrator', error: withCode('57P01'), expected: true },
  { name: 'starting up', error: withCode('57P03'), expected: true },
  { name: 'too many connections', error: withCode('53300'), expected: true },
  { name: 'deadlock', error: withCode('40P01'), expected: true },
  { name: 'conflict of transactions', error: withCode('40001'), expected: true },
  { name: 'disk full', error: withCode('53100'), expected: true },
  { name: 'statement timeout', error: withCode('57014'), expected: true },
  { name: 'failed over to a replica', error: withCode('25006'), expected: true },
  { name: 'pool timeout', error: new knex.KnexTimeoutError('x'), expected: true },
  { name: 'terminated', error: new Error('select 1 - Connection terminated unexpectedly'), expected: true },
  { name: 'unique violation', error: withCode('23505'), expected: false },
  { name: 'syntax error', error: withCode('42601'), expected: false },
  { name: 'bad value', error: withCode('22P02'), expected: false },
  { name: 'wrong password', error: withCode('28P01'), expected: false },
  { name: 'our own mistake', error: new TypeError('x is not a function'), expected: false },
  { name: 'not an error', error: 'ECONNREFUSED', expected: false },
];

for (const { name, error, expected } of cases) {
  t.test(`${name}: ${expected ? 'try again later' : 'not a matter of time'}`, async (t) => {
    t.equal(isUnavailable(error), expected);
  });
}
