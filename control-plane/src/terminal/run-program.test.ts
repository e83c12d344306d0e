import { Command } from 'commander';
import t, { type Test } from 'tap';
import { runProgram } from './run-program.js';

/** Runs a program with a default command in a group, and returns what it wrote on standard error. */
async function errorOf(t: Test, ...words: string[]): Promise<string> {
  const group = new Command('monitors');
  group.addCommand(
    new Command('list').action(() => {}),
    { isDefault: true },
  );
  group.addCommand(new Command('show').argument('<name>').action(() => {}));
  const program = new Command('vantage').addCommand(group).addCommand(new Command('nodes').action(() => {}));
  const { argv, exitCode } = process;
  const written = t.capture(process.stderr, 'write', () => true);
  process.argv = ['node', 'vantage', ...words];
  try {
    await runProgram(program);
    t.equal(process.exitCode, 2);
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
  }
  return written()
    .flatMap(({ args }) => args)
    .join('');
}

t.test('a word that is no command is refused with the nearest one, at every depth', async (t) => {
  for (const [words, text] of [
    [['node'], 'no such command "node", did you mean "nodes"?'],
    [['monitors', 'lst'], 'no such command "lst", did you mean "list"?'],
    [['monitors', 'zzz'], 'no such command "zzz"; commands: list, show'],
    [['\u001b[2J'], 'no such command "·[2J"; commands: monitors, nodes'],
    [['monitors', 'list', 'x'], "too many arguments for 'list'. Expected 0 arguments but got 1."],
  ] as const)
    t.equal(await errorOf(t, ...words), `error: ${text}\n(--help shows every option)\n`, words.join(' '));
});
