import t from 'tap';
import { isTimezone } from './timezone.js';

t.test('time zones are known by their names, and by nothing else', async (t) => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])
    t.ok(isTimezone(name), name);
  for (const text of ['', '+02:00', 'Mars/Olympus', 'Europe/Berlin\n', '../etc', 'a'.repeat(10_000)])
    t.notOk(isTimezone(text), text.slice(0, 20));
});
