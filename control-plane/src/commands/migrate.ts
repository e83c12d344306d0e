import { Command } from 'commander';
import { printJson } from '../terminal/print.js';
import { runCommand } from './run-command.js';

/** `vantage-control migrate` */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Bring the database to this version. serve does the same at start; this is for deployments that want it first.',
    )
    .option('--json', 'print {"applied": [names]}')
    .action((options: { json?: true }) =>
      runCommand(async (config) => {
        const { migrateConfigured } = await import('./office.js');
        const applied = await migrateConfigured(config);
        if (options.json) return printJson({ applied });
        process.stdout.write(applied.length === 0 ? 'nothing to do\n' : `applied ${applied.join(', ')}\n`);
      }),
    );
}
