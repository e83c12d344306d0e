import t from 'tap';
import { smtpLines } from './smtp-lines.js';

const tls = {
  protocol: 'TLSv1.3',
  version: '1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  authorized: false,
  authorization_error: 'CERT_HAS_EXPIRED',
  not_after: '2026-02-01T00:00:00.000Z',
  chain: [
    {
      subject: 'CN=mail.example.com',
      issuer: 'CN=ca',
      not_before: '2026-01-01T00:00:00.000Z',
      not_after: '2026-02-01T00:00:00.000Z',
      serial_number: '01',
      fingerprint_sha256: 'AA:BB',
    },
  ],
};
const certificate = [
  '=== TLSv1.3 TLS_AES_256_GCM_SHA384',
  '=== CN=mail.example.com, 2026-01-01 to 2026-02-01, SHA-256 AA:BB',
  '=== certificate not trusted: CERT_HAS_EXPIRED',
];

t.test('an smtp session reads as in swaks, with a tilde from where it is over TLS', async (t) => {
  t.strictSame(
    smtpLines({
      banner: 'one\ntwo',
      ehlo: ['mail.example.com', 'AUTH PLAIN'],
      ehlo_before_tls: ['mail.example.com', 'STARTTLS'],
      starttls: { asked: true, done: true },
      tls,
    }),
    [
      '<-  one',
      '<-  two',
      ' -> EHLO',
      '<-  mail.example.com',
      '<-  STARTTLS',
      ' -> STARTTLS',
      ...certificate,
      ' ~> EHLO',
      '<~  mail.example.com',
      '<~  AUTH PLAIN',
    ],
  );
  t.strictSame(
    smtpLines({ banner: 'one', ehlo: ['mail.example.com'], starttls: { asked: false, done: false }, tls }),
    [...certificate, '<~  one', ' ~> EHLO', '<~  mail.example.com'],
    'TLS from the first byte',
  );
  t.strictSame(smtpLines({ banner: null, ehlo: [], starttls: { asked: false, done: false }, tls: null }), []);
});
