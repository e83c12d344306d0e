import { basicRequirements, checkRequirements } from '../missing.js';
import { run } from '../namespaces.js';
import { type ServerName, servers } from '../servers/index.js';

/** Why there can be no lab with these servers here, for a test's `skip`; false where there can, and under CI, where nothing is skipped. */
export async function missingForLab(names: readonly ServerName[] = []): Promise<string | false> {
  if (process.env['CI'] === 'true') return false;
  const namespace = `vlab-${process.pid}-try`;
  try {
    checkRequirements([...basicRequirements, ...names.flatMap((name) => servers[name].requirements)]);
    await run('ip', ['netns', 'add', namespace]);
    await run('ip', ['netns', 'del', namespace]);
    return false;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
