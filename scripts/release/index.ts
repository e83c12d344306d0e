import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import { Command, CommanderError } from 'commander';
import { readClient, releasedClient } from 'vantage-control/client-file.js';
import { makeScratchDirectory } from '../scratch-directory.js';
import { addedFiles } from './added-files.js';
import { writeArchive } from './archive.js';
import { type ReleasedProgram, releasedPrograms } from './contents.js';
import { debianVersion, writeDeb } from './deb.js';
import { glibcFloor, newestOf } from './glibc.js';
import { type Manifest, manifestText, type ReleasedFile } from './manifest.js';
import { ReleaseKey } from './minisign.js';
import { platformOf } from './platform.js';
import { sha256Of } from './sha256.js';
import { type Sources, stage } from './stage.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** As a version of this project looks like: three numbers, and a word for one that is not final. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9a-z]+(?:\.[0-9a-z]+)*)?$/;
/** Public key as minisign writes it: 42 bytes in Base64, the first two for the algorithm. */
const PUBLIC_KEY = /^RW[\w+/]{54}$/;

interface ReleaseOptions {
  readonly out: string;
  readonly key?: string;
  readonly only?: string;
  readonly deb?: string;
  readonly nextKey?: string;
  readonly add?: string;
}

/** `npm run release -- VERSION`. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const command = new Command('npm run release --')
    .description('Writes the archives of a release with a manifest that names them; signed when there is a key.')
    .argument('<version>', 'such as 0.1.0')
    .option('--out <folder>', 'folder of the release', 'release')
    .option('--key <file>', 'Ed25519 key that signs the manifest, as PEM: openssl genpkey -algorithm ed25519 -out FILE')
    .option(
      '--next-key <key>',
      'public key, RW…, that signs from the next release on: nodes with this one accept it then',
    )
    .option('--deb <maintainer>', 'write a Debian package of each program, too; NAME <ADDRESS> of who answers for it')
    .option(
      '--add <folder>',
      'release of this version that another machine built, as one for arm64: its files are added',
    )
    .option('--only <program>', `one of ${releasedPrograms.map(({ name }) => name).join(', ')}`)
    .exitOverride();
  try {
    command.parse([...args], { from: 'user' });
    const [version = ''] = command.args;
    await release(version, command.opts<ReleaseOptions>());
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`release: ${(error as Error).message}\n`);
    return 1;
  }
}

async function release(version: string, { out, key, only, deb, nextKey, add }: ReleaseOptions): Promise<void> {
  if (!VERSION.test(version)) throw new Error(`"${version}" is no version: three numbers such as 0.1.0`);
  const programs = releasedPrograms.filter(({ name }) => only === undefined || name === only);
  if (programs.length === 0) throw new Error(`no program "${only}"`);
  if (nextKey !== undefined && !PUBLIC_KEY.test(nextKey))
    throw new Error(`"${nextKey}" is no public key of minisign: RW…`);
  // refused before the work
  if (deb !== undefined) debianVersion(version);
  demand('tar', 'objdump', ...(deb === undefined ? [] : (['dpkg-deb'] as const)));
  // read before the work: a key that is missing is reported at once
  const signing = key === undefined ? null : ReleaseKey.read(await readFile(key, 'utf8'));
  const folder = resolve(out, version);
  await mkdir(folder, { recursive: true });
  const sources: Sources = { root: ROOT, node: process.execPath, version };
  const files: ReleasedFile[] = [];
  let glibc = '0';
  for (const program of programs) {
    const built = await build(program, folder, { ...sources, maintainer: deb ?? null });
    files.push(...built.files);
    glibc = newestOf(glibc, built.glibc);
    for (const { name, bytes } of built.files) say(`${name}  ${(bytes / 1_000_000).toFixed(1)} MB`);
  }
  if (programs.some(({ name }) => name === 'vantage-control')) files.push(await writeClient(folder, version));
  if (add !== undefined) {
    const added = await addedFiles(add, { version, folder });
    files.push(...added.files.filter(({ name }) => files.every((own) => own.name !== name)));
    glibc = newestOf(glibc, added.glibc);
  }
  const manifest: Manifest = {
    version,
    node: { version: process.versions.node, sha256: await sha256Of(sources.node) },
    glibc,
    files,
    ...(nextKey === undefined ? {} : { nextKey }),
  };
  await writeManifest(folder, manifest, signing);
  say(`in ${folder}`);
}

async function build(
  program: ReleasedProgram,
  folder: string,
  { maintainer, ...sources }: Sources & { readonly maintainer: string | null },
): Promise<{ readonly files: readonly ReleasedFile[]; readonly glibc: string }> {
  const scratch = await makeScratchDirectory({ prefix: 'vantage-release-' });
  try {
    const name = `${program.name}-${sources.version}-${platformOf().name}`;
    const directory = join(scratch.path, name);
    await stage(program, directory, sources);
    const archive = join(folder, `${name}.tar.gz`);
    await writeArchive(directory, archive);
    const glibc = await glibcFloor(directory);
    const paths = [archive];
    if (maintainer !== null) {
      const { version } = sources;
      paths.push(await writeDeb({ program, staged: directory, version, glibc, folder, maintainer }));
    }
    return { files: await Promise.all(paths.map(describeFile)), glibc };
  } finally {
    await scratch.remove();
  }
}

/** The client as one file, which is the same on every platform. */
async function writeClient(folder: string, version: string): Promise<ReleasedFile> {
  const file = await readClient();
  if (file === null) throw new Error('the client is not built: npm run build');
  const path = join(folder, 'vantage');
  await writeFile(path, releasedClient(file, version), { mode: 0o755 });
  const described = await describeFile(path);
  say(`vantage  ${(described.bytes / 1_000_000).toFixed(1)} MB`);
  return described;
}

async function describeFile(path: string): Promise<ReleasedFile> {
  return { name: basename(path), bytes: (await stat(path)).size, sha256: await sha256Of(path) };
}

async function writeManifest(folder: string, manifest: Manifest, key: ReleaseKey | null): Promise<void> {
  const content = Buffer.from(manifestText(manifest));
  await writeFile(join(folder, 'manifest'), content);
  const sums = manifest.files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  await writeFile(join(folder, 'SHA256SUMS'), sums);
  if (key === null) {
    await rm(join(folder, 'manifest.minisig'), { force: true });
    return say('not signed: --key signs the manifest, and nothing is installed from one without a signature');
  }
  await writeFile(join(folder, 'manifest.minisig'), key.sign(content, `vantage ${manifest.version}`));
  say(`signed; public key ${key.publicKey}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
