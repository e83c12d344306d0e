import { type Config, loadConfig } from '../config/config.js';
import { printComplaint } from '../terminal/print.js';
import { exitSoon } from './exit-soon.js';
import type { Office } from './office.js';

/**
 * Reads the configuration, runs a command with it, and turns every foreseeable failure into one line. The process ends
 * afterwards.
 */
export async function runCommand(
  command: (config: Config, warnings: readonly string[]) => Promise<void>,
): Promise<void> {
  let sources = '';
  try {
    const loaded = loadConfig();
    sources = loaded.sources;
    await command(loaded.config, loaded.warnings);
  } catch (error) {
    const { exitCodeOf, explain } = await import('./explain.js');
    process.exitCode = exitCodeOf(error);
    printComplaint('vantage-control', explain(error, sources));
  }
  exitSoon();
}

/** As runCommand, with the modules over the configured database. They are loaded here: help needs none of them. */
export function runInOffice(work: (office: Office) => Promise<void>): Promise<void> {
  return runCommand(async (config) => {
    const { withOffice } = await import('./office.js');
    await withOffice(config, work);
  });
}
