import { realpathSync } from 'node:fs';
import type { RawSocketFault } from './errors.js';

/** Advice for the operator when raw sockets are not available; one line. */
export function rawSocketRemedy(fault: RawSocketFault): string {
  switch (fault) {
    case 'not_permitted':
      // a capability belongs to the executed file, so a symbolic link is resolved
      return `sudo setcap cap_net_raw+ep ${realpathSync(process.execPath)}`;
    case 'not_loadable':
      return 'npm rebuild raw-socket';
    case 'not_supported':
      return 'use a system with raw IPv4 sockets';
  }
}
