import { Command } from 'commander';
import { commandLine } from '../actor.js';
import { printJson } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

/** `vantage-control signing-key rotate` */
export function signingKeyCommand(): Command {
  const rotate = new Command('rotate')
    .description('Make a new key for access tokens; it takes over in two minutes. Every month one is made anyway.')
    .option(
      '--drop-old',
      'at once, and refuse all access tokens signed before (for a key that may be known to others); clients refresh',
    )
    .option('--json', 'print the id of the new key as JSON')
    .action((options: { dropOld?: true; json?: true }) =>
      runInOffice(async ({ signingKeys }) => {
        const kid = await signingKeys.rotate({ dropOld: options.dropOld === true, actor: commandLine });
        if (options.json) printJson({ kid });
        else process.stdout.write(`${kid} ${options.dropOld ? 'signs' : 'signs in two minutes'}\n`);
      }),
    );
  return new Command('signing-key').description('Keys that access tokens are signed with.').addCommand(rotate);
}
