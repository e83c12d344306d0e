/** Kind and version in the head of an export. API specification 2.4. */
export const EXPORT_KIND = 'vantage.monitors';
export const EXPORT_VERSION = 1;
