import { Command } from 'commander';
import type { BackupSummary } from '../backup/take-backup.js';
import { printJson, printText } from '../terminal/print.js';
import { runCommand } from './run-command.js';

interface BackupOptions {
  readonly verify?: true;
  readonly passphraseFile?: string;
  readonly force?: true;
  readonly json?: true;
}

/** `vantage-control backup` */
export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'Write the database and the secret key to an encrypted file while the servers run, or verify such a file.',
    )
    .argument('<file>', 'file to write, or to verify')
    .option('--verify', 'restore the file into a temporary database, and compare all rows with those that were written')
    .option('--passphrase-file <file>', 'file whose first line is the passphrase, at least 8 characters')
    .option('--force', 'replace a file of this name')
    .option('--json', 'print the counts as JSON')
    .addHelpText(
      'after',
      '\nThe passphrase is read from --passphrase-file, VANTAGE_BACKUP_PASSPHRASE or VANTAGE_BACKUP_PASSPHRASE_FILE, or typed.\nWithout it the backup is lost. --verify needs room for the database in TMPDIR.\nThe file has the format of age: `age --decrypt FILE | gunzip` shows its content.',
    )
    .action((file: string, options: BackupOptions) =>
      runCommand(async (config) => {
        const { backUp, verify } = await import('../backup/index.js');
        const summary = options.verify
          ? await verify({ file, ...pick(options) })
          : await backUp(config, { file, isForced: options.force === true, ...pick(options) });
        if (options.json) printJson(summary);
        else printText(options.verify ? verifiedText(summary) : writtenText(summary));
      }),
    );
}

function pick({ passphraseFile }: BackupOptions) {
  return passphraseFile === undefined ? {} : { passphraseFile };
}

function writtenText({ file, bytes, tables, rows }: BackupSummary): string {
  return `${file}: ${rows} rows of ${tables} tables in ${bytes} bytes`;
}

function verifiedText({ file, tables, rows }: BackupSummary): string {
  return `${file} restores completely: ${rows} rows of ${tables} tables are the same`;
}
