import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { readyText } from './ready-text.js';

const url = 'http://127.0.0.1:8080';
const screen = { width: 80, paint: plain };

t.test('a start ends with the address, how to stop the server and the command that comes next', async (t) => {
  t.strictSame(readyText({ url, hasAdmin: false, program: 'path/to/vantage-control' }, screen).split('\n'), [
    '',
    'Vantage is ready at http://127.0.0.1:8080; Ctrl-C stops it. Next, in another',
    'terminal:',
    '  path/to/vantage-control user create --email you@example.com --role admin',
    '',
    '',
  ]);
  t.match(
    readyText({ url, hasAdmin: true, program: 'vantage-control' }, screen),
    /\/docs has the API.*\n {2}vantage-control enrollment-token create\n/s,
  );
});
