import { systemClock } from '@vantage/shared/clock.js';
import { ServiceNotices } from '@vantage/shared/service/service-notices.js';
import { Agent } from '../agent.js';
import { type AgentConfig, takeServiceAddress } from '../config.js';
import { CommandError, type ExitName } from '../exit-codes.js';
import { createLog } from '../log.js';

/** Runs the agent until a signal, the loss of its parent, or the control plane ends it for good. */
export async function run(config: AgentConfig): Promise<ExitName> {
  const log = createLog(config.logLevel);
  for (const name of config.unknownVariables) log.warn({ name }, 'unknown environment variable');
  const agent = new Agent({ config, log, clock: systemClock, random: Math.random });
  const notices = new ServiceNotices({
    address: takeServiceAddress(),
    clock: systemClock,
    status: () => agent.summary,
    onFault: (error) => log.warn({ err: error }, 'cannot notify the service manager'),
  });
  const stopped = waitForStop(config.exitWithParent);
  await agent.start();
  // also without its control plane: what it measures then is kept, and a restart would not bring the link back
  notices.ready();
  const end = await Promise.race([agent.finished(), stopped]);
  log.info({ reason: end }, 'stopping');
  await Promise.all([notices.stopping(), agent.stop()]);
  if (end === 'banned') throw new CommandError('banned', 'this node is banned: ask the operator of the control plane');
  if (end === 'deleted')
    throw new CommandError('deleted', 'this node was deleted by its owner: enroll it again with a new token');
  if (end === 'upgrade_required') throw new CommandError('upgradeRequired', 'the control plane needs a newer agent');
  return 'ok';
}

/** Resolves when this process is asked to end; a second signal does not wait. */
function waitForStop(exitWithParent: boolean): Promise<'signal' | 'parent gone'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve('signal');
      });
    }
    if (process.channel !== undefined) process.once('disconnect', () => resolve('parent gone'));
    if (exitWithParent)
      process.stdin
        .once('end', () => resolve('parent gone'))
        .once('error', () => resolve('parent gone'))
        .resume();
  });
}
