// Asks net-ping about hosts at the same time, in one process: net-ping-says.js ADDRESS…. Prints {ADDRESS: whether it is alive}.
import { setTimeout } from 'node:timers/promises';
import * as netPing from 'net-ping';

const timeoutMs = 1000;
const verdicts = await Promise.all(process.argv.slice(2).map(isAlive));
// net-ping may leave a raw socket behind, which would keep this process
process.stdout.write(JSON.stringify(Object.fromEntries(verdicts)), () => process.exit(0));

/** net-ping now and then never calls back: then it is asked again. */
async function isAlive(target: string): Promise<[target: string, isAlive: boolean]> {
  for (;;) {
    const answer = await Promise.race([ask(target), setTimeout(4 * timeoutMs, null)]);
    if (answer !== null) return [target, answer];
    process.stderr.write('net-ping is silent\n');
  }
}

function ask(target: string): Promise<boolean> {
  const session = netPing.createSession({ timeout: timeoutMs, retries: 0 });
  return new Promise((resolve) => {
    session.pingHost(target, (error) => {
      session.close();
      resolve(error === null);
    });
  });
}
