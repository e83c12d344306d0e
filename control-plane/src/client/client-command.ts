import { Command } from 'commander';

/** A command of the client that calls the API, with the options that each of them has. `examples`: words after `vantage`. */
export function clientCommand(name: string, about: string, examples: readonly string[]): Command {
  const lines = examples.map((line) => `\n  vantage ${line}`).join('');
  return new Command(name)
    .description(about)
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the response as JSON')
    .addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:${lines}`);
}
