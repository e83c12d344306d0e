/** Folder of this package: two above this module, and above the bundles that hold it. */
export const packageFolder = new URL('../../', import.meta.url);
