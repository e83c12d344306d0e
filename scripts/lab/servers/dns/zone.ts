/** A zone and its records, except those of its signing. */
export interface Zone {
  readonly origin: string;
  readonly text: string;
}
