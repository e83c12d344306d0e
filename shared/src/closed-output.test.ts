import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t from 'tap';

/** Writes once its input ends, which is after no one reads its output any more. */
const script = `
  import { exitWhenOutputCloses } from ${JSON.stringify(new URL('./closed-output.js', import.meta.url).href)};
  exitWhenOutputCloses(process);
  process.stdin.resume().on('end', () => process.stdout.write('a line\\n'));
`;

t.test('a program whose reader has ended ends silently, as if by SIGPIPE', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
  const complaint = text(child.stderr);
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.end();
  const [code] = await once(child, 'close');
  t.equal(code, 141);
  t.equal(await complaint, '');
});
