/** Registration of a domain as its registry reports it. */
export type Registration =
  | {
      readonly isRegistered: true;
      /** ISO 8601; null where no date is published. */
      readonly expiresAt: string | null;
    }
  | { readonly isRegistered: false };
