import { existsSync } from 'node:fs';
import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import { demand } from '@vantage/shared/_support/missing.js';

/** Programs that every lab needs, with any servers. */
export const labPrograms: readonly ExternalProgram[] = ['ip', 'setpriv', 'gcc'];

/**
 * Checks that a lab is possible on this machine, with any servers.
 * @throws MissingProgramsError naming a Debian package, Error without root or TAP devices
 */
export function demandLab(): void {
  if (process.getuid?.() !== 0) throw new Error('a lab needs root to create network namespaces');
  demand(...labPrograms);
  if (!existsSync('/dev/net/tun')) throw new Error('no "/dev/net/tun": this kernel or container has no TAP devices');
}
