import type { TlsReport } from './tls-report.js';

/** Members of an smtp result from which the lines are made. */
export interface SmtpDialogue {
  readonly banner: string | null;
  readonly ehlo: readonly string[];
  readonly ehlo_before_tls?: readonly string[];
  readonly starttls: { readonly asked: boolean; readonly done: boolean };
  readonly tls: TlsReport | null;
}

/**
 * The session in the form swaks prints it: `<-` is the server, `->` the node, with a tilde over TLS, and `===` is what
 * else there is to know. Codes are left out; the result does not hold them.
 */
export function smtpLines({ banner, ehlo, ehlo_before_tls, starttls, tls }: SmtpDialogue): string[] {
  const first = ehlo_before_tls ?? ehlo;
  const isImplicitTls = tls !== null && !starttls.asked;
  return [
    ...(isImplicitTls ? tlsLines(tls) : []),
    ...(banner === null ? [] : banner.split('\n').map((line) => said(line, isImplicitTls))),
    ...ehloLines(first, isImplicitTls),
    ...(starttls.asked ? [asked('STARTTLS', false)] : []),
    ...(tls === null || isImplicitTls ? [] : tlsLines(tls)),
    ...(ehlo_before_tls === undefined ? [] : ehloLines(ehlo, true)),
  ];
}

function ehloLines(lines: readonly string[], isSecure: boolean): string[] {
  return lines.length === 0 ? [] : [asked('EHLO', isSecure), ...lines.map((line) => said(line, isSecure))];
}

function tlsLines({ protocol, cipher, authorized, authorization_error, chain }: TlsReport): string[] {
  const certificates = chain.map(
    ({ subject, not_before, not_after, fingerprint_sha256 }) =>
      `=== ${subject}, ${not_before.slice(0, 10)} to ${not_after.slice(0, 10)}, SHA-256 ${fingerprint_sha256}`,
  );
  return [
    `=== ${protocol} ${cipher}`,
    ...certificates,
    ...(authorized ? [] : [`=== certificate not trusted: ${authorization_error}`]),
  ];
}

function said(line: string, isSecure: boolean): string {
  return `${isSecure ? '<~' : '<-'}  ${line}`;
}

function asked(command: string, isSecure: boolean): string {
  return `${isSecure ? ' ~>' : ' ->'} ${command}`;
}
