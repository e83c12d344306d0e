const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = new Set(['\u007f', '\b']);

/** Asks for a secret on a terminal, which does not show it. Ctrl-C ends the process. */
export async function promptSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  let secret = '';
  try {
    // a second question needs the stream that the first one read
    for await (const typed of stdin.iterator({ destroyOnReturn: false }))
      for (const key of String(typed)) {
        if (key === '\r' || key === '\n' || key === END) return secret;
        if (key === INTERRUPT) process.exit(130);
        secret = ERASE.has(key) ? secret.slice(0, -1) : secret + key;
      }
    return secret;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
