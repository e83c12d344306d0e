import t from 'tap';
import { Progress } from './progress.js';

function output(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  return { written, stream: { isTTY, write, ...(columns === undefined ? {} : { columns }) } };
}

/** Line that a terminal shows: a carriage return goes to its start, ESC [ K clears it. */
function shownLine(written: readonly string[]): string {
  return written.join('').split('\r\u001b[K').at(-1) ?? '';
}

t.test('a terminal shows one line, cut to its width, which is removed at the end', async (t) => {
  const { written, stream } = output(true, 20);
  const progress = new Progress(stream);
  progress.show('waiting for the nodes', '12 s left');
  t.equal(shownLine(written), 'waiting for the no…');
  progress.show('東京東京東京東京東京東京');
  t.equal(shownLine(written), '東京東京東京東京東…');
  t.notMatch(written.join(''), '\n');
  progress.clear();
  progress.clear();
  t.equal(shownLine(written), '');
});

t.test('the same line is not written twice', async (t) => {
  const { written, stream } = output(true, 80);
  const progress = new Progress(stream);
  progress.show('waiting');
  progress.show('waiting');
  t.equal(written.length, 1);
});

t.test('without a terminal nothing is written, or a line for each step, without countdowns', async (t) => {
  const silent = output(false);
  new Progress(silent.stream).show('waiting', '3 s left');
  t.strictSame(silent.written, []);
  const reported = output(false);
  const progress = new Progress(reported.stream, 'lines');
  progress.show('waiting', '3 s left');
  progress.show('waiting', '2 s left');
  progress.clear();
  progress.show('done');
  t.strictSame(reported.written, ['waiting\n', 'done\n']);
});
