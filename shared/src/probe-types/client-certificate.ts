import { type Static, Type } from 'typebox';

/** Setting `client_certificate`: what a client shows of itself in a TLS handshake (RFC 8446 section 4.4.2). PEM, RFC 7468. */
export const ClientCertificateSchema = Type.Object(
  {
    certificate: Type.String({
      minLength: 1,
      maxLength: 32_768,
      description: 'PEM: its own certificate first, then those between it and the authority. Never shown again.',
    }),
    private_key: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'PEM: the key of the first certificate, not encrypted. Never shown again.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Certificate that is shown to a server which asks for one, of the origin of the target alone.',
  },
);
export type ClientCertificate = Static<typeof ClientCertificateSchema>;
