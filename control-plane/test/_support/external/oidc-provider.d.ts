declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** The package has no types. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
