/** Why a request is refused as a whole, whatever it asks for (docs/api/refusals.md). */
export const requestReasons = {
  INVALID_REQUEST: 'Invalid request',
  INVALID_SHAPE: 'Invalid request: see problems.oneOf[0], for a body with {sign}',
  NOT_FOUND: '{object}: record does not exist',
  SIMILAR_EXISTS: '{object}: a similar object already exists',
  PATH_UNKNOWN: 'no such path: GET /api/openapi.json lists all',
  ORIGIN_REFUSED: 'pages of other origins need an API key or COFFER_ALLOWED_ORIGINS',
  SCHEME_DIFFERS:
    'the page and this server differ in their scheme: set COFFER_EXTERNAL_URL, or COFFER_TRUSTED_PROXIES for a proxy that sends X-Forwarded-Proto',
  BODY_TOO_LARGE: 'the body is larger than {size}',
  OBJECT_CHANGED:
    'the object has changed since its ETag was read: read it again, then send your change with the new ETag in If-Match',
  IDEMPOTENCY_KEY_USED:
    'the Idempotency-Key was used with another request (path, query or body): send a new key',
  CHANGES_REMOVED:
    'Changes after this cursor are no longer kept: take a new one by after=latest, then read all objects again',
  TOO_MANY_REQUESTS: 'too many requests: repeat after Retry-After',
  BUDGET_SPENT: 'the budget of {of} is spent ({max} units in a minute): repeat after Retry-After',
  TOO_MANY_FILES: 'too many files at a time: repeat after Retry-After',
  TOO_MANY_EXPORTS: 'too many exports are running: repeat after Retry-After',
  TOO_MANY_STREAMS: 'too many open streams of changes: close one, or repeat after Retry-After',
  INTERNAL_ERROR: 'internal error',
  SERVICE_UNAVAILABLE: 'a service is not available: repeat the request later',
  DATABASE_UNAVAILABLE: 'the database is not available: repeat the request later',
  DATABASE_BUSY: 'the database is busy: try again later',
  WRITES_FULL: 'the queue of writes is full: send the request again in a second',
  WORKERS_FULL: 'the queue for such requests is full: send the request again in a second',
  PROCESS_STOPS: 'the process is stopping',
  NOT_ANSWERED: 'the request was not answered in time: repeat it',
  OUTCOME_UNKNOWN:
    'the request was not answered; it may have been carried out all the same: look before repeating',
  TIMEZONE_CHANGES: 'the timezone of the account is being changed: repeat the request',
  TIMEZONE_BUSY: 'the timezone of the account is being changed',
  UPLOADS_OFF: 'uploads are not enabled on this server',
  FEED_OFF: 'the feed integration is not enabled on this server',
  AGGREGATOR_OFF: 'the aggregator is not enabled on this server',
  BILLING_OFF: 'billing is not enabled on this server',
  SIGN_UP_OFF: 'sign-up is not enabled on this server',
  VERIFICATION_OFF: 'email verification is not enabled on this server',
  RESET_OFF: 'password reset by mail is not enabled on this server',
  PROOF_OF_WORK_OFF: 'proof of work is not enabled on this server',
} as const
