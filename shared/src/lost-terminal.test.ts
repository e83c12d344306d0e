import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';

/** Writes to its terminal until it is asked to end, as a server does. */
const program = `
  import { exitWhenOutputCloses } from ${JSON.stringify(new URL('./closed-output.js', import.meta.url).href)};
  import { endWithTerminal } from ${JSON.stringify(new URL('./lost-terminal.js', import.meta.url).href)};
  exitWhenOutputCloses(process);
  endWithTerminal(process);
  const writing = setInterval(() => process.stdout.write('a line\\n'), 1);
  process.once('SIGHUP', () => setTimeout(() => clearInterval(writing), 50));
`;

/** Runs a command on a terminal, closes the terminal at the first output, and prints how the command ended. */
const terminal = `
import os, pty, sys
pid, master = pty.fork()
if pid == 0:
    os.dup2(int(sys.argv[1]), 2)
    os.execv(sys.argv[2], sys.argv[2:])
os.read(master, 1)
os.close(master)
_, status = os.waitpid(pid, 0)
print('signal', os.WTERMSIG(status)) if os.WIFSIGNALED(status) else print('exit', os.WEXITSTATUS(status))
`;

t.test('a program whose terminal is closed stops in order, and then ends as by SIGHUP', async (t) => {
  const command = [process.execPath, '--input-type=module', '--eval', program];
  const child = spawn('python3', ['-c', terminal, '3', ...command], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [ended, errors] = [text(child.stdout as Readable), text(child.stdio[3] as Readable)];
  await once(child, 'close');
  t.equal(await ended, 'signal 1\n');
  t.equal(await errors, '');
});
