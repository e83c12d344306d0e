import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, parseManifest } from './manifest.js';
import { sha256Of } from './sha256.js';

/**
 * Copies the files of a release that another machine built into the folder of this one. @returns its files and glibc
 * @throws Error when it is of another version, or a file is not what its manifest says
 */
export async function addedFiles(
  from: string,
  { version, folder }: { readonly version: string; readonly folder: string },
): Promise<Pick<Manifest, 'files' | 'glibc'>> {
  const manifest = parseManifest(await readFile(join(from, 'manifest'), 'utf8'));
  if (manifest.version !== version) throw new Error(`${from} is release ${manifest.version}, not ${version}`);
  for (const { name, sha256 } of manifest.files) {
    if ((await sha256Of(join(from, name))) !== sha256)
      throw new Error(`${join(from, name)} has another checksum than its manifest says`);
    await copyFile(join(from, name), join(folder, name));
  }
  return manifest;
}
