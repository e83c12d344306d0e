// External programs: everything that a test, the lab, the demo, a benchmark or a script starts and that is not part of
// this project, with its Debian package. .ci/run and CONTRIBUTING.md repeat the packages, and `npm run check` compares.

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
  oathtool: 'oathtool',
  objdump: 'binutils',
  openssl: 'openssl',
  php: 'php-cli',
  ping: 'iputils-ping',
  pivot_root: 'util-linux',
  postfix: 'postfix',
  prlimit: 'util-linux',
  promtool: 'prometheus',
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

/** The packages of some programs, each once, in alphabetical order. */
export function packagesFor(programs: Iterable<ExternalProgram>): string[] {
  return [...new Set([...programs].flatMap((program) => packagesOf[program].split(' ')))].sort();
}

/** Packages that are on every Debian: essential, or of priority "required" (Debian policy 2.5, 3.8). */
const ofEveryDebian = ['bash', 'coreutils', 'dash', 'dpkg', 'grep', 'mount', 'tar', 'util-linux'];
/** Packages of programs that benchmarks alone start. */
const ofBenchmarks = ['fping', 'prometheus-alertmanager', 'prometheus-blackbox-exporter'];
const notInstalledByCi: ReadonlySet<string> = new Set([...ofEveryDebian, ...ofBenchmarks]);
/** Packages that installing Vantage needs in addition to Node, as listed in README.md, and what they bring along. */
const toInstall: ReadonlySet<string> = new Set(['python3', 'make', 'g++', 'binutils', 'gcc', 'libc6-dev']);

/** Packages that `.ci/run` installs: those of every program that a test starts. */
export function packagesOfCi(): string[] {
  const programs = Object.keys(packagesOf) as ExternalProgram[];
  return packagesFor(programs).filter((name) => !notInstalledByCi.has(name));
}

/** Packages without which some tests are skipped: `.ci/run` installs them, and installing Vantage does not need them. */
export function packagesOfTests(): string[] {
  return packagesOfCi().filter((name) => !toInstall.has(name));
}
