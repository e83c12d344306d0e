/** A backup that cannot be made, read or restored; the message names the remedy. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
