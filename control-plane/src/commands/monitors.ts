import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { commandLine } from '../actor.js';
import type { Account } from '../http/route.js';
import { type ImportFormatName, type ImportMode, importFormatNames, importModes } from '../import-words.js';
import type { User } from '../modules/accounts/index.js';
import { printJson } from '../terminal/print.js';
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
  return new Command('monitors').description('Monitors.').addCommand(importCommand()).addCommand(exportCommand());
}

function importCommand(): Command {
  return new Command('import')
    .description('Make monitors of a file: an export of Vantage, a backup of Uptime Kuma, a configuration of Gatus.')
    .argument('<file>', 'JSON or YAML of at most 5 MiB; - reads standard input')
    .option('--user <email>', 'whose they will be (default: the first admin)')
    .addOption(
      new Option('--format <format>', 'what kind of file it is (default: told from it)').choices(importFormatNames),
    )
    .addOption(
      new Option('--mode <mode>', 'what becomes of a monitor whose name is taken').choices(importModes).default('skip'),
    )
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      '\nEach monitor is imported whole or not at all. Where one failed the exit code is 1; the others are there.\ndocs/import.md says what becomes of each field of Uptime Kuma and Gatus.',
    )
    .action((file: string, options: ImportOptions) =>
      runInOffice(async ({ accounts, openTransfer }) => {
        const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
        const user =
          options.user === undefined ? await accounts.getFirstAdmin() : await accounts.getUserByEmail(options.user);
        const transfer = await openTransfer();
        const report = await transfer.importing.run(
          {
            bytes,
            format: options.format ?? null,
            mode: options.mode,
            isDryRun: options.dryRun === true,
            signal: null,
            onProgress: tellProgress,
          },
          { account: accountOf(user), actor: commandLine },
        );
        if (options.json) printJson(report);
        else process.stdout.write(`${reportText(report, user.email)}\n`);
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
    .description('Print the monitors of a user as JSON, as an import takes them. Secrets are left out.')
    .requiredOption('--user <email>', 'whose')
    .addHelpText('after', '\nWhich secrets are left out stands in "secrets_left_out" of each monitor.')
    .action(({ user: email }: { user: string }) =>
      runInOffice(async ({ accounts, openTransfer }) => {
        const user = await accounts.getUserByEmail(email);
        const transfer = await openTransfer();
        printJson(await transfer.export(accountOf(user), {}));
      }),
    );
}

const PROGRESS_EVERY = 500;

/** Of a long file, for who waits. */
function tellProgress(done: number, total: number): void {
  if (done % PROGRESS_EVERY === 0 && done < total) process.stderr.write(`${done} of ${total} monitors\n`);
}

/** The operator acts for the user, with what the user's plan and role allow. */
function accountOf({ id, role, plan }: User): Account {
  return {
    userId: id,
    role,
    plan,
    scopes: new Set(),
    credentialKind: 'session',
    credentialId: commandLine.credentialId ?? '',
    isTest: false,
    isEmailVerified: true,
    allowedOrigins: null,
  };
}
