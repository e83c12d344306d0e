import { systemClock } from '@vantage/shared/clock.js';
import { ServiceNotices } from '@vantage/shared/service/service-notices.js';
import { programCall } from '@vantage/shared/terminal/program-call.js';
import { Command } from 'commander';
import { type Config, readEnv, takeServiceAddress } from '../config/config.js';
import { endsWithin, STOP_MS } from '../runtime/ends-within.js';
import { outputScreen } from '../terminal/print.js';
import { readyText } from './ready-text.js';
import { runCommand } from './run-command.js';

/** `vantage-control serve` */
export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'Serve the API, the pages and the links of agents until SIGTERM or Ctrl-C. Log lines on standard output are text on a terminal, otherwise JSON.',
    )
    .option(
      '--remove-at-exit <dir>',
      'directory to remove when the server has ended; it must contain the data directory (embedded PostgreSQL only)',
    )
    .addHelpText(
      'after',
      '\nWithout VANTAGE_DATABASE_URL, the server runs an embedded PostgreSQL in the data directory.\nServers with the same VANTAGE_DATABASE_URL work together; they need the same VANTAGE_SECRET_KEY and VANTAGE_PUBLIC_URL.\nThe line with "msg":"ready" contains the address; a terminal shows how to stop and what to do next, too.',
    )
    .action((options: { removeAtExit?: string }) =>
      runCommand((config, warnings) => serve(config, warnings, options.removeAtExit)),
    );
}

async function serve(config: Config, warnings: readonly string[], ephemeral: string | undefined): Promise<void> {
  const { createLogger, terminalStream } = await import('../runtime/log.js');
  const log = createLogger(config.logLevel, terminalStream(process.stdout, readEnv()));
  for (const warning of warnings) log.warn({ warning }, 'unknown setting');
  const asked = stopSignal();
  const notices = new ServiceNotices({
    address: takeServiceAddress(),
    clock: systemClock,
    status: () => `serving ${publicUrl}`,
    onFault: (error) => log.warn({ err: error }, 'cannot notify the service manager'),
  });
  const { startControlPlane } = await import('../control-plane.js');
  const controlPlane = await startControlPlane({
    config,
    clock: systemClock,
    log,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  const { publicUrl, metricsUrl, replicaId, services } = controlPlane;
  await controlPlane.describe();
  log.info({ url: publicUrl, docs: `${publicUrl}/docs`, metrics: metricsUrl, replicaId }, 'ready');
  notices.ready();
  if (process.stdout.isTTY) {
    // a database that is slow at this moment is no reason to stop
    const hasAdmin = await services.accounts.users.hasAdmin().catch(() => true);
    const program = programCall('vantage-control', readEnv());
    process.stdout.write(readyText({ url: publicUrl, hasAdmin, program }, outputScreen()));
  }
  const reason = await Promise.race([asked, controlPlane.lost]);
  void notices.stopping();
  if (reason instanceof Error) {
    log.fatal({ err: reason }, 'database lost, stopping');
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
  log.warn({ seconds: STOP_MS / 1_000 }, 'stopped without waiting any longer for the database');
  process.exit();
}

/** SIGTERM, Ctrl-C, or the end of a parent that keeps an IPC channel open. A second signal ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve(signal));
    if (!process.channel) return;
    process.once('disconnect', () => resolve('parent ended'));
    // a server that has stopped, or never started, must not wait for its parent to disconnect
    process.channel.unref();
  });
}
