import { connect, type Socket } from 'node:net';

/** Response received over a bare socket. */
export interface RawAnswer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes and reads one response, however the server ends it. @throws Error if no whole response arrives within 120 s */
export function sendRaw(port: number, ...pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const finish = (error: Error | null) => {
      clearTimeout(deadline);
      socket.destroy();
      const answer = parseAnswer(received);
      if (answer !== null) resolve(answer);
      else reject(error ?? new Error(`no whole response, only "${received}"`));
    };
    const deadline = setTimeout(() => finish(new Error(`no response in time, only "${received}"`)), 120_000);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (parseAnswer(received) !== null) finish(null);
    });
    socket.on('error', finish);
    socket.on('close', () => finish(null));
    for (const piece of pieces) socket.write(piece);
  });
}

/** Head and body of a POST of JSON, as one text to send. */
export function rawPost(path: string, body: string, ...headers: readonly string[]): string {
  const lines = ['Host: 127.0.0.1', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `POST ${path} HTTP/1.1\r\n${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** The first whole response in the received text (Content-Length only), or null. */
export function parseAnswer(received: string): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = received.slice(end + 4);
  if (body.length < Number(headers.get('content-length') ?? 0)) return null;
  return { status: Number(statusLine.split(' ')[1]), headers, body: Buffer.from(body, 'latin1').toString('utf8') };
}

/** A connection left open by the test; the caller destroys it. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
  });
}
