/** Seconds an access token is valid (API specification 8). */
export const ACCESS_TOKEN_SECONDS = 900;
