import { Command } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import { printJson } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

/** `vantage-control signing-key rotate` */
export function signingKeyCommand(): Command {
  const rotate = new Command('rotate')
    .description(
      'Create a new signing key for access tokens, which signs after two minutes. This also happens automatically every month.',
    )
    .option(
      '--drop-old',
      'sign with the new key at once, and refuse all access tokens signed before (if the old key may have leaked); clients refresh',
    )
    .option('--json', 'print the id of the new key as JSON')
    .action((options: { dropOld?: true; json?: true }) =>
      runInOffice(async ({ accounts: { signingKeys } }) => {
        const kid = await signingKeys.rotate({ dropOld: options.dropOld === true, actor: commandLine });
        if (options.json) printJson({ kid });
        else process.stdout.write(`${kid} ${options.dropOld ? 'signs' : 'signs in two minutes'}\n`);
      }),
    );
  return new Command('signing-key').description('Manage the keys that sign access tokens.').addCommand(rotate);
}
