import { isGiven, packagesOf } from '@vantage/shared/_support/external-programs.js';

/** Features tested with the programs of a package, and therefore skipped without it. */
const testedWith: Readonly<Record<string, string>> = {
  'bind9-dnsutils': 'comparison of DNS results with dig; name servers of the lab',
  chromium: 'monitors of type browser',
  'chromium-headless-shell': 'the pages in a browser',
  chrony: 'NTP against a real server, in the lab',
  curl: 'the commands of the guide; check-ins; web servers of the lab',
  debootstrap: 'installing an agent in a bare Debian',
  haproxy: 'replicas and client addresses behind HAProxy',
  iproute2:
    'everything that needs network namespaces: the whole lab, agents without privileges, limits of IPv6 networks',
  'iputils-ping': 'links of the lab; proof that no packet is sent to a refused target',
  knot: 'DNS, traces and HTTP against real name servers, in the lab',
  'libnet-ssleay-perl': 'SMTP against a real server, in the lab',
  minisign: 'signatures of releases',
  lintian: 'the Debian packages of a release',
  'mmdb-bin': 'databases of addresses, compared with another reader',
  'mtr-tiny': 'comparison of mtr probes with mtr, in the lab',
  'nats-server': 'the bus of replicas over NATS',
  nftables: 'forged replies, rejected packets, packet loss',
  nginx: 'replicas and client addresses behind nginx; HTTP and TLS against a real server, in the lab',
  openssl: 'TLS audits, pins, client certificates; every server of the lab',
  'php-cli': 'the PHP example of docs/webhooks.md',
  postfix: 'SMTP against a real server, in the lab',
  prometheus: 'the alert rules and the dashboard of deploy/monitoring',
  rbldnsd: 'DNS blocklists of reputations, against a real server',
  shellcheck: 'the script that installs the agent',
  strace: 'the spool on a failing disk',
  swaks: 'SMTP against a real server, in the lab',
  systemd: 'the units; what both programs report to systemd',
  'testssl.sh': 'the audit of TLS, compared with testssl, in the lab',
  traceroute: 'comparison of traceroute probes with traceroute, in the lab',
  unbound: 'DNS against a real resolver, in the lab',
  wget: 'an installation where there is no curl',
  whois: 'registrations, compared with whois',
  'zonemaster-cli': 'the audit of zones, compared with zonemaster, in the lab',
};

/** Rows of the table of CONTRIBUTING.md: package, programs, what is skipped without it. @throws Error for a package without words */
export function testPackageRows(packages: readonly string[]): string[][] {
  return packages
    .filter((name) => !isGiven(name))
    .map((name) => {
      const use = testedWith[name];
      if (use === undefined) throw new Error(`test-packages.ts does not say what is tested with "${name}"`);
      return [name, programsOf(name).join(', '), use];
    });
}

function programsOf(debianPackage: string): string[] {
  const isIn = ([, packages]: readonly [string, string]) => packages.split(' ').includes(debianPackage);
  return Object.entries(packagesOf)
    .filter(isIn)
    .map(([program]) => program);
}
