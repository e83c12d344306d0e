import { type Static, Type } from 'typebox';

/** Setting `client_certificate`: what a client shows of itself in a TLS handshake (RFC 8446 section 4.4.2). PEM, RFC 7468. */
export const ClientCertificateSchema = Type.Object(
  {
    certificate: Type.String({
      minLength: 1,
      maxLength: 32_768,
      description: 'PEM: the certificate of the client first, then the intermediate certificates. Never shown again.',
    }),
    private_key: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'PEM: the unencrypted key of the first certificate. Never shown again.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Certificate that is presented to a server that requests one, only at the origin of the target.',
  },
);
export type ClientCertificate = Static<typeof ClientCertificateSchema>;
