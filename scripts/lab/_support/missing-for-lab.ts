import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { labPrograms } from '../demand-lab.js';
import { run } from '../namespaces.js';
import { programsOf, type ServerName } from '../servers/index.js';

/** Requirements of a test for its lab. */
export interface LabNeeds {
  readonly servers?: readonly ServerName[];
  /** Programs that the test starts in the lab in addition to its servers. */
  readonly programs?: readonly ExternalProgram[];
}

/**
 * Reason why there can be no such lab here, for a test's `skip`; false where there can, and under CI, where nothing
 * is skipped.
 */
export async function missingForLab({ servers = [], programs = [] }: LabNeeds = {}): Promise<string | false> {
  const reason = missing('root', 'TAP devices', ...labPrograms, ...programsOf(servers), ...programs);
  if (reason !== false || process.env['CI'] === 'true') return reason;
  const namespace = `vlab-${process.pid}-try`;
  try {
    await run('ip', ['netns', 'add', namespace]);
    await run('ip', ['netns', 'del', namespace]);
    return false;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
