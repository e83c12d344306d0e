import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import type { Account } from '../http/route.js';
import { scopesOfRole } from '../http/scopes.js';
import { type ImportFormatName, type ImportMode, importFormatNames, importModes } from '../import-words.js';
import type { User } from '../modules/accounts/index.js';
import { personalOwner } from '../owners/index.js';
import { printJson, printLines } from '../terminal/print.js';
import { reportText } from './import-report-text.js';
import { runInOffice } from './run-command.js';

interface ImportOptions {
  readonly user?: string;
  readonly format?: ImportFormatName;
  readonly mode: ImportMode;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `vantage-control monitors import | export` */
export function monitorsCommand(): Command {
  return new Command('monitors')
    .description('Import and export monitors.')
    .addCommand(importCommand())
    .addCommand(exportCommand());
}

function importCommand(): Command {
  return new Command('import')
    .description(
      'Import monitors from a file: an export of Vantage, a backup of Uptime Kuma or a configuration of Gatus.',
    )
    .argument('<file>', 'JSON or YAML file of at most 5 MiB; - for standard input')
    .option('--user <email>', 'e-mail address of the owner of the monitors (default: the first admin)')
    .addOption(new Option('--format <format>', 'format of the file (default: detected)').choices(importFormatNames))
    .addOption(
      new Option('--mode <mode>', 'handling of a monitor whose name is in use').choices(importModes).default('skip'),
    )
    .option('--dry-run', 'report what would be done without doing it')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      '\nEach monitor is imported completely or not at all. If one fails, the exit code is 1, and the others are imported.\ndocs/import.md describes how each field of Uptime Kuma and Gatus is imported.',
    )
    .action((file: string, options: ImportOptions) =>
      runInOffice(async ({ accounts: { users }, openTransfer }) => {
        const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
        const user =
          options.user === undefined ? await users.getFirstAdmin() : await users.getUserByEmail(options.user);
        const transfer = await openTransfer();
        const report = await transfer.importing.run(
          {
            bytes,
            format: options.format ?? null,
            mode: options.mode,
            isDryRun: options.dryRun === true,
            signal: null,
            onProgress: reportProgress,
          },
          { account: accountOf(user), actor: commandLine },
        );
        if (options.json) printJson(report);
        else printLines(reportText(report, user.email));
        if (report.failed.length === 0) return;
        process.exitCode = 1;
        process.stderr.write(
          `vantage-control: ${report.failed.length} of ${report.total} monitors were not imported\n`,
        );
      }),
    );
}

function exportCommand(): Command {
  return new Command('export')
    .description('Export the monitors of a user as JSON that can be imported again. Secrets are not exported.')
    .requiredOption('--user <email>', 'e-mail address of the owner of the monitors')
    .addHelpText('after', '\nField "secrets_left_out" of each monitor lists the secrets that were not exported.')
    .action(({ user: email }: { user: string }) =>
      runInOffice(async ({ accounts: { users }, openTransfer }) => {
        const user = await users.getUserByEmail(email);
        const transfer = await openTransfer();
        printJson(await transfer.export(accountOf(user), {}));
      }),
    );
}

const PROGRESS_EVERY = 500;

/** Prints the progress of a long file. */
function reportProgress(done: number, total: number): void {
  if (done % PROGRESS_EVERY === 0 && done < total) process.stderr.write(`${done} of ${total} monitors\n`);
}

/** The operator acts for the user, with what the user's plan and role allow. */
function accountOf({ id, role, plan }: User): Account {
  return {
    owner: personalOwner(id),
    user: { id },
    createdBy: id,
    role,
    plan,
    scopes: new Set(scopesOfRole(role)),
    ownerRole: 'owner',
    credentialKind: 'session',
    credentialId: commandLine.credentialId ?? '',
    isEmailVerified: true,
    freshness: null,
    isBrowser: false,
    allowedOrigins: null,
  };
}
