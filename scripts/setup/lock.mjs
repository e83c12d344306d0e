// One set-up of a checkout at a time. The lock is a listening socket in Linux's abstract namespace: the holder need not
// clean up, since the kernel frees the name when the process dies, and waiting processes notice that without polling.
//
//   free --listen--> held --release or death--> free
//   held --connect--> waiting (reads the holder's pid) --connection closes--> tries again
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** Waits until this process alone sets up `root`. `release()` frees it; so does the end of the process. */
export async function holdLock(root, say) {
  const name = `\0vantage-setup-${createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 32)}`;
  for (;;) {
    const lock = await tryLock(name);
    if (lock !== null) return lock;
    await waitForHolder(name, say);
  }
}

function tryLock(name) {
  return new Promise((resolve, reject) => {
    const waiters = new Set();
    const server = createServer((socket) => {
      waiters.add(socket);
      socket.on('error', () => {}).on('close', () => waiters.delete(socket));
      socket.write(String(process.pid));
      socket.unref();
    });
    const release = () => {
      server.close();
      for (const socket of waiters) socket.destroy();
    };
    server.on('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(name, () => {
      server.unref();
      resolve({ release });
    });
  });
}

function waitForHolder(name, say) {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('data', (pid) => say(`set-up: waiting for another one to finish (process ${pid})`));
    socket.on('error', () => {}).on('close', resolve);
  });
}
