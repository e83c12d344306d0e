// External programs: everything that a test, the lab, the demo, a benchmark or a script starts and that is not part of
// this project. Each has its Debian package here and nowhere else; .ci/run and CONTRIBUTING.md repeat the packages, and
// `npm run check` compares.

/** Debian packages that bring a program, as apt-get takes them; most are one. */
export const packagesOf = {
  bash: 'bash',
  cat: 'coreutils',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  chronyd: 'chrony',
  cp: 'coreutils',
  curl: 'curl',
  debootstrap: 'debootstrap',
  dpkg: 'dpkg',
  'dpkg-deb': 'dpkg',
  dig: 'bind9-dnsutils',
  env: 'coreutils',
  flock: 'util-linux',
  fping: 'fping',
  'g++': 'g++',
  gcc: 'gcc libc6-dev',
  grep: 'grep',
  haproxy: 'haproxy',
  head: 'coreutils',
  id: 'coreutils',
  ip: 'iproute2',
  keymgr: 'knot',
  knotd: 'knot',
  lintian: 'lintian',
  make: 'make',
  minisign: 'minisign',
  mmdblookup: 'mmdb-bin',
  mount: 'mount',
  mtr: 'mtr-tiny',
  mv: 'coreutils',
  'nats-server': 'nats-server',
  nft: 'nftables',
  nginx: 'nginx',
  nsenter: 'util-linux',
  objdump: 'binutils',
  openssl: 'openssl',
  php: 'php-cli',
  ping: 'iputils-ping',
  pivot_root: 'util-linux',
  postfix: 'postfix',
  prlimit: 'util-linux',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  'prometheus-blackbox-exporter': 'prometheus-blackbox-exporter',
  python3: 'python3',
  rbldnsd: 'rbldnsd',
  rm: 'coreutils',
  setpriv: 'util-linux',
  setsid: 'util-linux',
  sh: 'dash',
  shellcheck: 'shellcheck',
  sleep: 'coreutils',
  ss: 'iproute2',
  stat: 'coreutils',
  strace: 'strace',
  // its TLS is a module of Perl's
  swaks: 'swaks libnet-ssleay-perl',
  'systemd-analyze': 'systemd',
  'systemd-notify': 'systemd',
  tar: 'tar',
  testssl: 'testssl.sh',
  traceroute: 'traceroute',
  true: 'coreutils',
  umount: 'mount',
  unbound: 'unbound',
  unshare: 'util-linux',
  wget: 'wget',
  whois: 'whois',
  'zonemaster-cli': 'zonemaster-cli',
} as const;

/** A program other than Node that this project starts. */
export type ExternalProgram = keyof typeof packagesOf;

/** Every program that there is a declaration for. */
export const externalPrograms = Object.keys(packagesOf) as readonly ExternalProgram[];

/** Packages that are on every Debian: essential, or of priority "required" (Debian policy 2.5, 3.8). */
export const packagesOfEveryDebian: ReadonlySet<string> = new Set([
  'bash',
  'coreutils',
  'dash',
  'dpkg',
  'grep',
  'mount',
  'tar',
  'util-linux',
]);

/** Packages that installing Vantage needs in addition to Node, as listed in README.md. */
export const packagesToInstall: readonly string[] = ['python3', 'make', 'g++'];
/** Packages that the C++ compiler depends on. */
const broughtAlong: readonly string[] = ['binutils', 'gcc', 'libc6-dev'];

/** True if a package is present on every machine on which Vantage is installed. */
export function isGiven(debianPackage: string): boolean {
  return [...packagesOfEveryDebian, ...packagesToInstall, ...broughtAlong].includes(debianPackage);
}

/**
 * True if a program is present on every machine on which Vantage is installed; no test is ever skipped for lack of
 * it.
 */
export function isAlwaysThere(program: ExternalProgram): boolean {
  return packagesOf[program].split(' ').every(isGiven);
}

/** The packages of some programs, each once, in alphabetical order. */
export function packagesFor(programs: Iterable<ExternalProgram>): string[] {
  return [...new Set([...programs].flatMap((program) => packagesOf[program].split(' ')))].sort();
}
