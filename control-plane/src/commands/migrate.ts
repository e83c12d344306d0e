import { Command } from 'commander';
import { migrate } from '../db/migrate.js';
import { createLogger } from '../log.js';
import { openStorage } from '../storage.js';
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
        const log = createLogger('silent');
        const storage = await openStorage({ config, log, mode: 'join-or-start', poolSize: 2 });
        try {
          const applied = await migrate(storage.db, log);
          if (options.json) return printJson({ applied });
          process.stdout.write(applied.length === 0 ? 'nothing to do\n' : `applied ${applied.join(', ')}\n`);
        } finally {
          await storage.close();
        }
      }),
    );
}
