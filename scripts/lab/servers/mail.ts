import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../namespaces.js';
import { serviceAddresses } from '../topology.js';
import type { CertificateFiles } from './certificates.js';
import { startDaemon } from './daemon.js';
import type { ServerDefinition } from './server.js';

const { v4, v6 } = serviceAddresses('mail');

/** postfix with configuration and queue of its own; mail for lab.test is taken and thrown away. */
export const mail: ServerDefinition = {
  summary: 'postfix: SMTP at 25 and 587 with STARTTLS, at 465 with TLS',
  programs: ['postfix', 'ss'],
  async start(options) {
    const { directory, namespace } = options;
    const { good } = options.certificates;
    mkdirSync(join(directory, 'queue'));
    mkdirSync(join(directory, 'data'));
    const owner = Number(await run('id', ['-u', 'postfix']));
    chownSync(join(directory, 'data'), owner, 0);
    writeFileSync(join(directory, 'main.cf'), mainConfiguration(directory, good));
    writeFileSync(join(directory, 'master.cf'), masterConfiguration());
    await startDaemon(options, {
      // postfix stays in the foreground only as the leader of a session
      command: ['setsid', 'postfix', '-c', directory, 'start-fg'],
      isReady: async () => {
        const sockets = await run('ip', ['netns', 'exec', namespace, 'ss', '-tlnH']);
        return [25, 465, 587].every(
          (port) => sockets.includes(`${v4}:${port} `) && sockets.includes(`[${v6}]:${port} `),
        );
      },
    });
  },
  offers: [['mail.lab.test', `25, 587, 465; ${v4}, ${v6}`]],
};

function mainConfiguration(directory: string, { cert, key }: CertificateFiles): string {
  return `
compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
maillog_file = /dev/stdout
myhostname = mail.lab.test
mydestination = lab.test
mynetworks = 127.0.0.0/8
inet_interfaces = ${v4}, ${v6}
inet_protocols = all
local_recipient_maps =
alias_maps =
alias_database =
local_transport = discard
smtpd_tls_cert_file = ${cert}
smtpd_tls_key_file = ${key}
smtpd_tls_security_level = may
smtpd_client_connection_rate_limit = 0
smtpd_client_connection_count_limit = 0
smtpd_peername_lookup = no
smtputf8_enable = yes
`;
}

/** name type private unprivileged chroot wakeup processes command */
function masterConfiguration(): string {
  return `
smtp inet n - n - - smtpd
587 inet n - n - - smtpd
465 inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
