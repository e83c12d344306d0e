import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { down, execOn, type LinkOptions, link, map, shell, status, type UpOptions, up } from './commands.js';
import { serverNames } from './servers/index.js';
import { hosts } from './topology.js';

/** Name of the lab that commands use by default. */
const DEFAULT_NAME = 'lab';

/** `npm run lab -- COMMAND`: a small internet on this machine. Exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('npm run lab --')
    .description(
      'A small internet in network namespaces: an agent, three routers, and a remote host with real servers.',
    )
    .enablePositionalOptions()
    .exitOverride();
  addUpAndDown(program);
  addViews(program);
  addInside(program, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`lab: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function addUpAndDown(program: Command): void {
  program
    .command('up')
    .description('create a lab, print its map, and keep it until Ctrl-C')
    .addOption(name())
    .option('--only <servers>', `comma-separated servers to start: ${serverNames.join(', ')}; "none" for none`)
    .option('--ecmp', 'add a second path, through r2b, parallel to r2')
    .option('--delay <ms>', 'round-trip time between agent and far, added on link 2', nonNegative)
    .option('--seed <n>', "seed of the links' random numbers", nonNegative)
    .option('--json', 'print the map as one JSON document')
    .action((options: UpOptions) => up(options));
  program
    .command('down')
    .description('remove a lab, and leftovers of killed labs')
    .addOption(name())
    .action((options: { name: string }) => down(options.name));
}

function addViews(program: Command): void {
  program
    .command('map')
    .description('print machines, addresses, servers and examples')
    .addOption(name())
    .option('--json', 'print one JSON document')
    .action((options: { name: string; json?: true }) => map(options));
  program
    .command('status')
    .description('print settings and counters of every link')
    .addOption(name())
    .option('--json', 'print one JSON document')
    .action((options: { name: string; json?: true }) => status(options));
  program
    .command('link')
    .description('change settings of a link from the next frame on; others stay the same')
    .argument('<number>', 'the link, from 1', nonNegative)
    .addOption(name())
    .addOption(new Option('--direction <way>', 'one direction only').choices(['forth', 'back']))
    .option('--delay <ms>', 'one way', nonNegative)
    .option('--jitter <ms>', 'uniformly distributed around the delay; keeps the order', nonNegative)
    .option('--loss <ratio>', '0 to 1', ratio)
    .option('--duplicate <ratio>', '0 to 1', ratio)
    .option('--reorder <ratio>', 'share of frames that the next one overtakes, 0 to 1', ratio)
    .option('--rate <bits/s>', '0: no limit', nonNegative)
    .option('--queue <bytes>', 'length of the queue before a limited rate', nonNegative)
    .action((number: number, options: LinkOptions) => link(number, options));
}

function addInside(program: Command, endWith: (code: number) => void): void {
  program
    .command('shell')
    .description('open a shell on a machine')
    .argument('<host>', hosts.join(', '))
    .addOption(name())
    .action(async (host: string, options: { name: string }) => endWith(await shell(options.name, host)));
  program
    .command('exec')
    .description('run a command on a machine')
    .argument('<host>', hosts.join(', '))
    .argument('<command...>')
    .addOption(name())
    .passThroughOptions()
    .action(async (host: string, command: string[], options: { name: string }) =>
      endWith(await execOn(options.name, host, command)),
    );
}

function name(): Option {
  return new Option('--name <name>', 'name of the lab; several can run at once').default(DEFAULT_NAME);
}

function nonNegative(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError(`"${text}" must be a number of at least 0.`);
}

function ratio(text: string): number {
  const value = nonNegative(text);
  if (value <= 1) return value;
  throw new InvalidArgumentError(`"${text}" must be a number from 0 to 1.`);
}
