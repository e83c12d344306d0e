import { doctorText } from '@vantage/shared/terminal/check-lines.js';
import { Command } from 'commander';
import { readEnv } from '../config/config.js';
import { outputScreen, printJson } from '../terminal/print.js';
import { runCommand } from './run-command.js';

/** `vantage-control doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check database, migrations, bus, mail, clock, disk, keys, certificate, file descriptors, public URL and agents, and show what to do. Changes nothing.',
    )
    .option('--json', 'print {"checks": [{"name", "status", "detail", "remedy"}]}')
    .addHelpText(
      'after',
      '\nIf a check has failed, the exit code is 1; warnings do not count. Run this as the user of the server.',
    )
    .action(({ json }: { json?: true }) =>
      runCommand(async (config, warnings) => {
        const { examine } = await import('../doctor/examine.js');
        const checks = await examine(config, warnings);
        if (json) printJson({ checks });
        else process.stdout.write(doctorText(checks, outputScreen(), readEnv()));
        if (checks.some(({ status }) => status === 'failed')) process.exitCode = 1;
      }),
    );
}
