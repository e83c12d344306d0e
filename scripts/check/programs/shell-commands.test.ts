import t from 'tap';
import { shellCommands, UNKNOWN_WORD } from './shell-commands.js';

t.test('every program that a shell text runs is named, builtins and values are not', async (t) => {
  const cases: readonly (readonly [text: string, ...programs: string[]])[] = [
    ['ip link set lo up; exec "$@"', 'ip'],
    ['exec openssl s_client < /dev/null 2>&1 | grep -q x || true', 'openssl', 'grep'],
    ["(ping -c1 a &\nwait) > /dev/null && echo 'dig is not run'", 'ping'],
    ['A=1 B=$(dig +short a) curl -s "http://$(hostname)/"', 'curl', 'dig', 'hostname'],
    ['if test -x /usr/bin/nft; then /usr/sbin/nft list; fi', '/usr/sbin/nft'],
    [`head -c ${UNKNOWN_WORD} /dev/zero | curl --data-binary @- x`, 'head', 'curl'],
    [`${UNKNOWN_WORD} -c 1; $program; "$0"; '${UNKNOWN_WORD}/bin/node' x`],
    ['work() { traceroute -n a; }; work', 'work', 'traceroute'],
  ];
  for (const [text, ...programs] of cases) t.strictSame(shellCommands(text).sort(), [...programs].sort(), text);
});
