import t from 'tap';
import { Progress } from './progress.js';

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string) => written.push(text) } };
}

t.test('nothing is written without a terminal', async (t) => {
  const { written, stream } = output(false);
  const progress = new Progress(stream);
  progress.show('sending the request…');
  progress.clear();
  t.same(written, []);
});

t.test('a terminal shows one line that is overwritten and removed at the end', async (t) => {
  const { written, stream } = output(true);
  const progress = new Progress(stream);
  progress.show('1 of 3');
  progress.show('2/3');
  progress.clear();
  progress.clear();
  t.same(written, ['\r1 of 3', '\r2/3   ', '\r   \r']);
  // what a terminal shows: each write starts at the line's first column
  const shown = written.reduce(
    (line, text) => text.split('\r').reduce((now, part) => part + now.slice(part.length), line),
    '',
  );
  t.equal(shown.trim(), '');
});
