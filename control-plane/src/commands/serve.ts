import { systemClock } from '@vantage/shared/clock.js';
import { Command } from 'commander';
import type { Config } from '../config.js';
import { endsWithin, STOP_MS } from '../ends-within.js';
import { runCommand } from './run-command.js';

/** `vantage-control serve` */
export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'Serve the API, the pages and the agents’ links until SIGTERM or Ctrl-C. Logs are JSON lines on standard output.',
    )
    .option(
      '--remove-at-exit <dir>',
      'remove this directory, which holds the data directory, when the server has ended (embedded PostgreSQL only)',
    )
    .addHelpText(
      'after',
      '\nWithout VANTAGE_DATABASE_URL an embedded PostgreSQL runs in the data directory, for as long as the server.\nSeveral servers on one VANTAGE_DATABASE_URL work together; they need the same VANTAGE_SECRET_KEY and VANTAGE_PUBLIC_URL.\nThe line with "msg":"ready" tells the address.',
    )
    .action((options: { removeAtExit?: string }) =>
      runCommand((config, warnings) => serve(config, warnings, options.removeAtExit)),
    );
}

async function serve(config: Config, warnings: readonly string[], ephemeral: string | undefined): Promise<void> {
  const { createLogger } = await import('../log.js');
  const log = createLogger(config.logLevel);
  for (const warning of warnings) log.warn({ warning }, 'a setting is not known');
  const asked = stopSignal();
  const { startControlPlane } = await import('../control-plane.js');
  const controlPlane = await startControlPlane({
    config,
    clock: systemClock,
    log,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  const { publicUrl, metricsUrl, replicaId } = controlPlane;
  log.info({ url: publicUrl, docs: `${publicUrl}/docs`, metrics: metricsUrl, replicaId }, 'ready');
  const reason = await Promise.race([asked, controlPlane.lost]);
  if (reason instanceof Error) {
    log.fatal({ err: reason }, 'the database is gone');
    process.exitCode = 1;
  } else {
    log.info({ reason }, 'stopping');
    await Promise.race([controlPlane.drain(), controlPlane.lost]);
  }
  const stopped = controlPlane.stop();
  if (config.databaseUrl === null || (await endsWithin(STOP_MS, stopped))) {
    await stopped;
    log.info('stopped');
    return;
  }
  log.warn({ seconds: STOP_MS / 1_000 }, 'stopped, and left behind what still waited for the database');
  process.exit();
}

/** SIGTERM, Ctrl-C, or the end of a parent that keeps an IPC channel open. A second signal ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve(signal));
    if (!process.channel) return;
    process.once('disconnect', () => resolve('parent ended'));
    // a server that has stopped, or never started, does not wait for its parent to let go
    process.channel.unref();
  });
}
