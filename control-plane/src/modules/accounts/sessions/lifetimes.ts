/** Validity of an access token, in seconds (API specification 8). */
export const ACCESS_TOKEN_SECONDS = 900;
