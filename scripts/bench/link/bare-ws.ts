// A bare ws server, the baseline of frames and of memory: accepts connections and messages, and counts them.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

let frames = 0;
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, backlog: 1_024 });
server.on('connection', (socket) => {
  socket.on('message', () => {
    frames += 1;
  });
  socket.on('error', () => socket.terminate());
});
server.once('listening', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ frames, open: server.clients.size }));
process.once('disconnect', () => process.exit());
