import { linkStatus } from '../emulator.js';
import { getRecord, socketOf } from '../records.js';
import { statusText } from '../status-text.js';

/** Prints what the links of a lab do and have counted, and which servers it has. */
export async function status({ name, json }: { readonly name: string; readonly json?: true }): Promise<void> {
  const { servers, pid } = getRecord(name);
  const links = await linkStatus(socketOf(name));
  if (json) process.stdout.write(`${JSON.stringify({ name, pid, servers, links }, null, 2)}\n`);
  else process.stdout.write(`${statusText(links)}\nservers on far: ${servers.join(', ') || 'none'}; process ${pid}\n`);
}
