// Bare requests with http.request, each over a connection of its own: bare-requests.js URL IN-FLIGHT. A message has the number of
// requests, and is answered when all of them are done.
import http from 'node:http';

const [url = '', inFlight = ''] = process.argv.slice(2);

function request(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        Buffer.concat(chunks);
        resolve();
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

process.on('message', async (count: number) => {
  let begun = 0;
  const loop = async () => {
    for (; begun < count; await request()) begun += 1;
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, loop));
  process.send?.('done');
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
