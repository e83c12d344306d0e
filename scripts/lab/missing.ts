import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Something the lab needs and this machine has not. The message says what to install. */
export class MissingError extends Error {
  constructor(program: string, packages: string, purpose: string) {
    super(`no "${program}", which ${purpose}: apt-get install -y ${packages}`);
  }
}

/** A program the lab runs, and the Debian package that has it. */
export interface Requirement {
  readonly program: string;
  readonly debianPackage: string;
  readonly purpose: string;
}

/** What every lab runs, whatever its servers. */
export const basicRequirements: readonly Requirement[] = [
  { program: 'ip', debianPackage: 'iproute2', purpose: 'makes network namespaces' },
  { program: 'setpriv', debianPackage: 'util-linux', purpose: 'ends what a lab started with it' },
  { program: 'gcc', debianPackage: 'gcc libc6-dev', purpose: 'compiles the link emulator' },
];

/** @throws MissingError for the first program that is not there, Error without root */
export function checkRequirements(requirements: readonly Requirement[]): void {
  if (process.getuid?.() !== 0) throw new Error('a lab needs root, to make network namespaces');
  for (const { program, debianPackage, purpose } of requirements) {
    if (!isInstalled(program)) throw new MissingError(program, debianPackage, purpose);
  }
  if (!existsSync('/dev/net/tun')) throw new Error('no "/dev/net/tun": this kernel or container has no TAP devices');
}

/** Whether a program is in the search path, or in one of the folders of system programs that may not be in it. */
export function isInstalled(program: string): boolean {
  const path = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`;
  return path.split(delimiter).some((directory) => existsSync(join(directory, program)));
}
