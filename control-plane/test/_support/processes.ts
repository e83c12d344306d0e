import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Command lines of living processes that mention `text`, without this one and zombies. */
export function processesMentioning(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(commandLine)
    .filter((command) => command.includes(text));
}

/** Command line of a process; empty if it has ended. proc(5) */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The one of these processes that has the IPv4 TCP connection with this local port; null if none of them has it. proc(5) */
export function processConnectedFrom(port: number, pids: readonly number[]): number | null {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const inode = fields.find(([, address]) => address?.endsWith(local))?.[9];
  return pids.find((pid) => openFiles(pid).includes(`socket:[${inode}]`)) ?? null;
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // closed meanwhile
      return [];
    }
  });
}
