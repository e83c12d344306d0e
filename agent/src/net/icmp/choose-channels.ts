import { loadAddon } from './addon.js';
import { openAddonChannel } from './addon-channel.js';
import { RawSocketError } from './errors.js';
import type { ChannelKind, ChannelOpener } from './raw-channel.js';
import { openRawSocketChannel } from './raw-socket-channel.js';

/** The given kind, or the better of the two that loads. @throws RawSocketError where the given one does not */
export function chooseChannels(kind?: ChannelKind): ChannelOpener {
  if (kind === 'addon') return addonChannels();
  const packaged: ChannelOpener = { kind: 'raw-socket', open: openRawSocketChannel };
  if (kind === 'raw-socket') return packaged;
  try {
    return addonChannels();
  } catch (error) {
    if (error instanceof RawSocketError) return packaged;
    throw error;
  }
}

function addonChannels(): ChannelOpener {
  const addon = loadAddon();
  return { kind: 'addon', open: (options) => openAddonChannel(addon, options) };
}
