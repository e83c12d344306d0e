import { delimiter, join } from 'node:path';
import { isExecutable } from '../executable.js';
import { type Ability, abilities } from './abilities.js';
import { type ExternalProgram, packagesFor, packagesOf } from './external-programs.js';

/** A requirement of a test: an external program, or something that the machine must permit. */
export type Need = ExternalProgram | Ability;

/** Abilities that are there or not, by PATH and name: each is tried once in a process. */
const tried = new Map<string, boolean>();

/** Error for programs that are to be started and are not installed; the message names their packages. */
export class MissingProgramsError extends Error {
  override readonly name = 'MissingProgramsError';
}

/**
 * Reason why a test that needs these cannot run here, for its `skip`: "needs traceroute: apt-get install traceroute".
 * False where all exist, and with CI=true, where nothing may be skipped. Programs are searched where `spawn` would
 * search: on the PATH.
 */
export function missing(...needs: readonly Need[]): string | false {
  if (process.env['CI'] === 'true') return false;
  const absent = programsAbsent(needs.filter(isProgram));
  if (absent !== null) return absent;
  const refused = needs.filter((need) => !isProgram(need)).filter((ability) => !isThere(ability));
  return refused.length > 0 && `needs ${refused.map((ability) => abilities[ability].says).join('; ')}`;
}

/**
 * Requires programs where nothing can be skipped: the lab, a benchmark. @throws MissingProgramsError when one of
 * these is not installed
 */
export function demand(...programs: readonly ExternalProgram[]): void {
  const absent = programsAbsent(programs);
  if (absent !== null) throw new MissingProgramsError(absent);
}

/** The reason in words; null if all exist. */
function programsAbsent(programs: readonly ExternalProgram[]): string | null {
  const absent = [...new Set(programs)].filter((program) => !isInstalled(program));
  return absent.length === 0 ? null : `needs ${absent.join(', ')}: apt-get install ${packagesFor(absent).join(' ')}`;
}

/** True if a program is in a folder of the PATH. */
export function isInstalled(program: ExternalProgram): boolean {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && isExecutable(join(folder, program)));
}

function isThere(ability: Ability): boolean {
  const key = `${process.env['PATH']} ${ability}`;
  const known = tried.get(key) ?? abilities[ability].isThere();
  tried.set(key, known);
  return known;
}

function isProgram(need: Need): need is ExternalProgram {
  return need in packagesOf;
}
