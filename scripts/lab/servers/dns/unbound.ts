import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../namespaces.js';
import { serviceAddresses } from '../../topology.js';
import type { CertificateFiles } from '../certificates.js';
import { startDaemon } from '../daemon.js';
import type { ServerOptions } from '../server.js';

/** The validating resolver: UDP and TCP, DNS over TLS at 853, DNS over HTTPS at 443. `anchor` is the root's DS data. */
export async function startUnbound(options: ServerOptions, anchor: string): Promise<void> {
  const { directory, namespace } = options;
  const { v4: root, v6: root6 } = serviceAddresses('root');
  writeFileSync(join(directory, 'root.hints'), `. NS a.root.\na.root. A ${root}\na.root. AAAA ${root6}\n`);
  writeFileSync(join(directory, 'unbound.conf'), configuration(directory, anchor, options.certificates.good));
  const { v4 } = serviceAddresses('resolver');
  const dig = ['dig', `@${v4}`, '+dnssec', '+time=2', '+tries=1', 'www.lab.test'];
  await startDaemon(options, {
    command: ['unbound', '-d', '-c', join(directory, 'unbound.conf')],
    isReady: async () => /flags:[^;]* ad;/.test(await run('ip', ['netns', 'exec', namespace, ...dig])),
  });
}

function configuration(directory: string, anchor: string, { cert, key }: CertificateFiles): string {
  const { v4, v6 } = serviceAddresses('resolver');
  const interfaces = [v4, v6].flatMap((address) => [53, 853, 443].map((port) => `  interface: ${address}@${port}`));
  return `
server:
${interfaces.join('\n')}
  outgoing-interface: ${v4}
  outgoing-interface: ${v6}
  access-control: 0.0.0.0/0 allow
  access-control: ::/0 allow
  tls-service-pem: "${cert}"
  tls-service-key: "${key}"
  https-port: 443
  username: ""
  chroot: ""
  directory: "${directory}"
  pidfile: "${directory}/unbound.pid"
  use-syslog: no
  root-hints: "${directory}/root.hints"
  trust-anchor: ". DS ${anchor}"
  # a question costs one query at the server of its name: minimised ones (RFC 9156) would be further ones, of type A
  qname-minimisation: no
  # unbound keeps the names for testing to itself otherwise (RFC 6761)
  local-zone: "test." nodefault
  nsid: "ascii_lab-resolver"
  val-log-level: 0
remote-control:
  control-enable: no
`;
}
