import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of living processes that mention `text`, this one and zombies left out. */
export function processesMentioning(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(commandLine)
    .filter((command) => command.includes(text));
}

/** Empty for a process that has ended. proc(5) */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
