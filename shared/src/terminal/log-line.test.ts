import t from 'tap';
import { coloured, plain } from './colours.js';
import { logLine } from './log-line.js';

const time = '2026-11-27T12:00:01.123Z';

t.test('a log line is time, level, message and fields, of which a word needs no quotes', async (t) => {
  const line = { time, level: 'warn', part: 'links', nodeId: 'n_1', msg: 'link closed', reason: 'was lost', count: 3 };
  t.equal(
    logLine(JSON.stringify(line), plain),
    '12:00:01 warn  link closed  part=links  nodeId=n_1  reason="was lost"  count=3\n',
  );
  t.match(logLine(JSON.stringify(line), coloured), '\u001b[33mwarn \u001b[39m');
});

t.test('an error stands behind the message, its stack below', async (t) => {
  const err = {
    type: 'Error',
    message: 'no route',
    stack: 'Error: no route\n    at one (a.js:1:2)\n    at two (b.js:3:4)',
  };
  t.equal(
    logLine(JSON.stringify({ time, level: 'error', err, msg: 'cannot connect' }), plain),
    '12:00:01 error cannot connect  err="no route"\n  at one (a.js:1:2)\n  at two (b.js:3:4)\n',
  );
});

t.test('no value of a log line controls the terminal', async (t) => {
  const evil = '\u001b[2J\u009b31m\u202e';
  const err = { message: evil, stack: `Error\n    at ${evil}` };
  const line = JSON.stringify({ time, level: 'info', msg: evil, one: evil, two: [evil], err });
  t.notMatch(logLine(line, plain), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
