import { Command } from 'commander';
import { printJson, printText } from '../terminal/print.js';
import { runCommand } from './run-command.js';

interface RestoreOptions {
  readonly passphraseFile?: string;
  readonly replace?: true;
  readonly json?: true;
}

/** `vantage-control restore` */
export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Restore a backup into the configured database, completely or not at all. Stop all servers first; a database with data is refused.',
    )
    .argument('<file>', 'file that vantage-control backup has written')
    .option('--passphrase-file <file>', 'file whose first line is the passphrase')
    .option('--replace', 'delete all data of the database, and keep a different secret key as secret.key.before')
    .option('--json', 'print the counts as JSON')
    .addHelpText(
      'after',
      '\nA backup of an older version is migrated when the server starts. Run this as the user of the server.\ndocs/operating.md describes what agents send again afterwards.',
    )
    .action((file: string, { passphraseFile, replace, json }: RestoreOptions) =>
      runCommand(async (config) => {
        const { restore } = await import('../backup/index.js');
        const restored = await restore(config, {
          file,
          isReplacing: replace === true,
          ...(passphraseFile === undefined ? {} : { passphraseFile }),
        });
        if (json) return printJson(restored);
        const { created_at, rows, tables } = restored;
        printText(`restored the state of ${created_at}: ${rows} rows of ${tables} tables`);
      }),
    );
}
