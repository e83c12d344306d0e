import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const script = fileURLToPath(new URL('../run.mjs', import.meta.url));

/** Runs `node scripts/run.mjs …` to its end. */
function run(
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, CI: '' };
    execFile(process.execPath, [...nodeArgs, script, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

t.test('standard output and the exit code are those of the command', async (t) => {
  const { code, stdout } = await run(['check', '--help']);
  t.equal(code, 0);
  t.match(stdout, /^usage: npm run check/);
  t.match(await run(['check', 'nonsense']), { code: 2 });
});

t.test('an unknown command is refused with the list of commands', async (t) => {
  for (const command of ['nonsense', '../check', 'check/layers']) {
    t.match(await run([command]), { code: 2, stdout: '', stderr: /unknown command .*: one of demo, test, check/ });
  }
});

t.test('another Node is refused in one line before anything happens', async (t) => {
  const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.4'})`;
  const outcome = await run(['check'], ['--import', pretend]);
  t.match(outcome, { code: 1, stdout: '', stderr: /^Node 18\.20\.4 will not do: [^\n]*\n$/ });
});
