import t from 'tap';
import { readable } from './log.js';

t.test('a line of JSON reads as one plain line, its fields quoted', async (t) => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2026-11-20T12:00:01.234Z',
    part: 'link',
    detail: 'a\n\u001b[2Jb',
    msg: 'link closed',
  });
  t.equal(readable(line), '12:00:01 WARN  link closed  part="link"  detail="a\\n\\u001b[2Jb"\n');
});
