import { createDiffieHellman, createSign, X509Certificate } from 'node:crypto';
import type { Test } from 'tap';
import { handshakeMessage, inRecord, isOfTls13, relay, serverHello, vector } from './ancient-server.js';
import type { MadeCertificate } from './made-certificates.js';
import { startTcpServer, type TestServer } from './tcp-server.js';

const TLS12 = 0x0303;
const DHE_RSA_AES128_GCM = 0x009e;
const RSA_PKCS1_SHA256 = Buffer.from([4, 1]);
/** The First Oakley Group, 768 bits (RFC 2409 section 6.1). */
const generator = Buffer.from([2]);
const prime = Buffer.from(
  'FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A63A3620FFFFFFFFFFFFFFFF',
  'hex',
);

/**
 * A server in front of a TLS server of today, at `port` of loopback, that speaks TLS 1.2 with a Diffie-Hellman key of 768 bits,
 * which no OpenSSL of today does. Its flight ends before the client's part.
 */
export function startShortDhFront(
  t: Test,
  {
    leaf,
    chain,
    port,
  }: { readonly leaf: MadeCertificate; readonly chain: readonly MadeCertificate[]; readonly port: number },
): Promise<TestServer> {
  const certificates = [leaf, ...chain].map(({ cert }) => vector(3, new X509Certificate(cert).raw));
  return startTcpServer(t, (socket) =>
    socket.once('data', (hello) => {
      if (isOfTls13(hello)) return relay(socket, hello, port);
      const ownKey = createDiffieHellman(prime, generator).generateKeys();
      const first = serverHello(TLS12, DHE_RSA_AES128_GCM);
      // the random number of each side is behind type, length and version
      const randoms = Buffer.concat([hello.subarray(11, 43), first.subarray(11, 43)]);
      const parameters = Buffer.concat([prime, generator, ownKey].map((value) => vector(2, value)));
      const signature = createSign('sha256')
        .update(Buffer.concat([randoms, parameters]))
        .sign(leaf.key);
      socket.write(
        Buffer.concat([
          first,
          inRecord(TLS12, handshakeMessage(11, vector(3, Buffer.concat(certificates)))),
          inRecord(TLS12, handshakeMessage(12, Buffer.concat([parameters, RSA_PKCS1_SHA256, vector(2, signature)]))),
          inRecord(TLS12, handshakeMessage(14, Buffer.alloc(0))),
        ]),
      );
    }),
  );
}
