import protobuf from 'protobufjs/minimal.js';

// 64-bit fields are plain numbers here (all fit 2^53). protobufjs would use the long package wherever it finds it, and
// the generated classes ask when they load: this module must be imported before them.
Object.assign(protobuf.util, { Long: undefined });
protobuf.configure();
