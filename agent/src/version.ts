/** NOTE: the version of agent/package.json; a test compares the two. */
export const AGENT_VERSION = '0.1.0';
