import t from 'tap';
import { readHttpDate } from './http-date.js';
import { retryAfterMs } from './retry-after.js';

const at = Date.UTC(2027, 5, 9, 10, 18, 14);

t.test('a date of a header is read in all forms that servers write, in UTC in any zone of this machine', async (t) => {
  const zone = process.env['TZ'];
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  const dates = [
    'Wed, 09 Jun 2027 10:18:14 GMT',
    'Wednesday, 09-Jun-27 10:18:14 GMT',
    'Wed Jun  9 10:18:14 2027',
    'Wed, 09-Jun-2027 10:18:14 UTC',
    'Wed, 9 June 2027 10:18:14',
    '09 Jun 2027 10:18:14 EST',
    'Mi, 09 Jun 2027 10:18:14 GMT',
    'Jun 9 2027 10:18:14 GMT+0800',
  ];
  const none = [
    '',
    '0',
    '-1',
    '1e9',
    'soon',
    'Wed, 09 Jun 2027',
    'Wed, 31 Jun 2027 10:18:14 GMT',
    'Wed, 09 Jun 2027 24:00:00 GMT',
    '2027-06-09T10:18:14Z',
    `Wed, 09 Jun 2027 10:18:14 GMT${' '.repeat(100)}`,
  ];
  for (const own of ['UTC', 'America/Los_Angeles', 'Asia/Shanghai']) {
    process.env['TZ'] = own;
    for (const text of dates) t.equal(readHttpDate(text), at, `${text} in ${own}`);
    for (const text of none) t.equal(readHttpDate(text), null, text);
    t.equal(readHttpDate('Sunday, 06-Nov-94 08:49:37 GMT'), Date.UTC(1994, 10, 6, 8, 49, 37));
  }
});

t.test('Retry-After is seconds or a date in any of its forms', async (t) => {
  for (const date of ['Wed, 09 Jun 2027 10:18:14 GMT', 'Wednesday, 09-Jun-27 10:18:14 GMT', 'Wed Jun  9 10:18:14 2027'])
    t.equal(retryAfterMs(date, at - 90_000), 90_000, date);
  t.equal(retryAfterMs(' 30 ', at), 30_000);
  t.equal(retryAfterMs('Wed, 09 Jun 2027 10:18:14 GMT', at + 1), 0, 'a date that has passed');
  for (const text of [null, undefined, '', '-5', '1.5', '1e9', 'soon'])
    t.equal(retryAfterMs(text, at), null, `${text}`);
});
