import { Command } from 'commander';
import { printJson, printText } from '../terminal/print.js';
import { runCommand } from './run-command.js';

/** `vantage-control migrate` */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Migrate the database to this version. serve does the same at startup; use this command to do it beforehand.',
    )
    .option('--json', 'print {"applied": [names]}')
    .action((options: { json?: true }) =>
      runCommand(async (config) => {
        const { migrateConfigured } = await import('./office.js');
        const applied = await migrateConfigured(config);
        if (options.json) return printJson({ applied });
        printText(applied.length === 0 ? 'the database is up to date' : `applied ${applied.join(', ')}`);
      }),
    );
}
