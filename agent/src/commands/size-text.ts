const KIB = 1024;

/** Bytes for people: `312 B`, `84.2 KiB`, `3.1 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}
