/** Mask in place of a secret. */
export const MASK = '********';

/** Recipient with its first and last characters: `a***@e***m`, `+49***12`. */
export function maskRecipient(to: string): string {
  const at = to.lastIndexOf('@');
  if (at <= 0) return to.length <= 5 ? '***' : `${to.slice(0, 3)}***${to.slice(-2)}`;
  const [user, domain] = [to.slice(0, at), to.slice(at + 1)];
  return `${user.slice(0, 1)}***@${domain.slice(0, 1)}***${domain.slice(-1)}`;
}

/** Text that PostgreSQL can store: without NUL and halves of surrogate pairs. */
export function storable(text: string): string {
  return text.replace(/\0|\p{Cs}/gu, '');
}
