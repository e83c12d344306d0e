import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { ReleasedProgram } from './contents.js';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Bill of materials of a program in CycloneDX JSON, by npm; the same whenever and wherever it is written. */
export async function packageSbom(root: string, program: ReleasedProgram, version: string): Promise<string> {
  // set by the npm that runs this command
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('run this by npm: it writes the bill of materials');
  const args = [npm, 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--workspace', program.folder];
  const { stdout } = await run(process.execPath, args, { cwd: root, maxBuffer: MAX_OUTPUT });
  const { serialNumber: _serial, metadata, ...rest } = JSON.parse(stdout);
  const { timestamp: _when, ...about } = metadata;
  const sbom = { ...rest, metadata: { ...about, component: { ...about.component, name: program.name, version } } };
  const digest = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
  return `${JSON.stringify({ ...sbom, serialNumber: `urn:uuid:${uuidOf(digest)}` }, null, 2)}\n`;
}

/** A UUID of version 8 (RFC 9562 section 5.8) from a digest. */
function uuidOf(digest: string): string {
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(13, 16),
    digest.slice(17, 20),
    digest.slice(20, 32),
  ];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
