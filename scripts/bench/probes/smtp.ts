import type { Lab } from '../../lab/lab.js';
import { serviceAddresses } from '../../lab/topology.js';
import type { Comparison, Row } from './comparison.js';

/** Debian's swaks speaks IPv4 only. */
const { v4: TARGET } = serviceAddresses('mail');

/** Observations of a session, by either program. */
interface Findings {
  readonly clear: readonly string[];
  readonly secure: readonly string[];
  readonly fingerprint: string;
}

/** EHLO lines and certificate of a mail server, compared with swaks and openssl. */
export const smtp: Comparison = {
  name: 'smtp',
  title: 'smtp: EHLO lines and certificate of postfix',
  question: 'Are EHLO lines and certificate those of swaks and openssl?',
  peer: 'swaks, openssl',
  lab: { servers: ['mail'] },
  programs: ['swaks', 'openssl'],
  async run({ lab, prober, rounds }) {
    const pairs: { ours: Findings; theirs: Findings }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { ehlo, ehlo_before_tls: clear = [], tls } = await prober.probe('smtp', TARGET);
      const fingerprint = tls?.chain[0]?.fingerprint_sha256 ?? '';
      pairs.push({ ours: { clear, secure: ehlo, fingerprint }, theirs: await peers(lab) });
    }
    const row = (what: string, of: (findings: Findings) => string): Row => {
      const equal = pairs.filter(({ ours, theirs }) => of(ours) === of(theirs) && of(ours) !== '').length;
      const [first] = pairs;
      const shown = (findings: Findings | undefined) => (findings === undefined ? '' : brief(of(findings)));
      const ratio = `equal in ${equal} of ${pairs.length}`;
      return { what, ours: shown(first?.ours), theirs: shown(first?.theirs), ratio, goal: 'equal in all' };
    };
    return [
      row('EHLO in the clear', ({ clear }) => clear.join('\n')),
      row('EHLO over TLS', ({ secure }) => secure.join('\n')),
      row('certificate, SHA-256', ({ fingerprint }) => fingerprint),
    ];
  },
};

async function peers(lab: Lab): Promise<Findings> {
  const swaks = ['swaks', '--server', TARGET, '--ehlo', 'vantage.example', '--tls', '--quit-after', 'EHLO'];
  const talk = await lab.exec('agent', ...swaks);
  const session = `openssl s_client -starttls smtp -connect ${TARGET}:25 < /dev/null 2> /dev/null`;
  const openssl = `${session} | openssl x509 -noout -fingerprint -sha256`;
  const fingerprint = (await lab.exec('agent', 'sh', '-c', openssl)).trim().replace(/^.*=/, '');
  return { clear: replies(talk, '<-'), secure: replies(talk, '<~'), fingerprint };
}

/** Lines of the answer to EHLO, which swaks prints as `<-  250-PIPELINING`, over TLS as `<~  250-PIPELINING`. */
function replies(talk: string, arrow: string): string[] {
  return talk
    .split('\n')
    .filter((line) => line.startsWith(`${arrow}  250`))
    .map((line) => line.slice(`${arrow}  250-`.length));
}

function brief(text: string): string {
  const lines = text.split('\n');
  return lines.length > 1 ? `${lines.length} lines` : `${text.slice(0, 17)}…`;
}
