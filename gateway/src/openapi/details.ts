const socket =
  'The handshake needs the credential of any other request. Refusals have a JSON body. The ' +
  'server ends the socket after the last frame (docs/api.md#sockets).'

const patch = 'Keys that are not sent stay as they are, and an empty object is accepted.'

const page =
  'The Link header has the URL of the next page; a page may have fewer entries than limit, and a ' +
  'next page exists as long as there is a Link header (docs/api.md#paging).'

const reAuthentication =
  'The body repeats the password or has a code, exactly one; it may be missing while the session ' +
  'is at most 15 minutes old (docs/sign-in.md#re-authentication).'

/** Descriptions of operations whose summary is not enough, by the ID of the operation. */
export const details: Record<string, string> = {
  getHealth:
    'Needs no credential. 500 with the same body while a database is away; the result is cached ' +
    'for a second (docs/api.md#health).',
  getConfig:
    'Needs no credential. A feature that is off answers 404, the aggregator 406 ' +
    '(docs/sign-in.md#what-a-server-offers).',
  listCurrencies: 'Ascending. Bank accounts accept these codes as currency (docs/api.md#money).',
  searchIcon: 'Searches for the name of a brand within the text (docs/api.md#icons).',
  getOpenApiDocument:
    'Made from the schemas that check requests and render answers; needs no credential.',

  registerAccount:
    'Without verification of addresses the answer begins a session, in the cookie. With it, ' +
    'there is no session yet and a mail with a link is sent (docs/sign-in.md#registration).',
  signIn:
    'The token of the session is in the cookie alone, never in a body; a former session of the ' +
    'browser ends. 428 names the step that has to come first (docs/sign-in.md#signing-in).',
  completeSignIn:
    'For a pending session, which ends after 5 minutes. A wrong code is 401 and does not end it; ' +
    'a right one sets a new cookie (docs/sign-in.md#second-factor).',
  signOut: 'Ends the session and clears the cookie, also without a session.',
  createChallenge:
    'The client searches for a nonce and sends both with its request; a challenge is accepted ' +
    'once (docs/sign-in.md#proof-of-work).',
  verifyEmail:
    'A token works once, for its own purpose. Begins no session (docs/sign-in.md#mailed-links).',
  resendVerificationMail:
    'Answers alike for known and unknown addresses. No mail goes to a verified address.',
  requestPasswordReset:
    'Answers alike for known and unknown addresses. The link works once and expires ' +
    '(docs/sign-in.md#mailed-links).',
  requestPasswordResetByMail: 'The same as POST /api/authentication/forgot, under its older path.',

  getMe:
    'Works while the subscription has lapsed, and for a session that still needs its second ' +
    'factor.',
  updateMe:
    `${patch} Only an owner may change the locale. A new email address needs re-authentication ` +
    'in the same body, and counts once it is verified, where the server verifies addresses ' +
    '(docs/sign-in.md#own-data).',
  getUser: 'For example the one named by createdBy of an object. Other accounts have none: 404.',
  exportAccount:
    'Streams all rows of the account from all services; at most 4 exports run at the same time ' +
    'in a process, else 429 (docs/account-data.md#export).',
  deleteAccount:
    'Only an owner may do so. Sessions and API keys end at once, the rows are deleted in the ' +
    'background (docs/account-data.md#deletion).',
  changePassword:
    'A wrong current password is 401, and the session does not end. The owner gets a mail ' +
    '(docs/sign-in.md#passwords).',
  resetPassword: 'Begins no session and keeps the second factor (docs/sign-in.md#passwords).',
  setUpTotp:
    'Answers the secret and recovery codes once; nothing changes before the confirmation. May be ' +
    `repeated. ${reAuthentication}`,
  confirmTotp: 'From now on each sign-in needs a code (docs/sign-in.md#second-factor).',
  disableTotp:
    'Deletes the authenticator and its recovery codes; every other session ends. A wrong ' +
    'password or code is 401.',
  replaceRecoveryCodes: 'Answers ten codes once; the former ones stop working.',
  listSessions: 'Without pending sessions and without those that have ended.',
  endOtherSessions: `The session of the request stays. ${reAuthentication}`,
  endSession: `An unknown session is 404. ${reAuthentication}`,
  listApiKeys: 'Without secrets and without revoked keys. Takes a session, never an API key.',
  createApiKey:
    'Takes a session, never an API key: a leaked key must not create others ' +
    '(docs/sign-in.md#api-keys).',
  deleteApiKey: 'The key is refused from now on. Revoking it again is 400.',

  createCheckout:
    'The client redirects the browser to the page. 400 while there is a subscription that has ' +
    'not ended: use the portal (docs/billing.md#routes).',
  getCheckout:
    'Reads the subscription from Stripe, so that it counts at once. A checkout of another ' +
    'account is 404.',
  getBillingPortal: 'Creates a page for this browser. 400 without a subscription.',
  receiveStripeEvent:
    'For Stripe alone. The body is at most 65,535 bytes; a bad signature is 400. A repeated ' +
    'event does nothing.',

  listLinks: 'In the order of their IDs, so of their creation; without deleted ones.',
  getLink: 'A deleted link has deletedAt; everything under it is 404.',
  createLink:
    'Links over the aggregator are created with Plaid Link instead. A feed connection has at ' +
    'most one link (docs/links.md#links).',
  updateLink: `${patch} Works for every type of link; a deleted one is 400.`,
  deleteLink:
    'Its bank accounts, transactions, expenses, goals and schedules are 404 at once and removed ' +
    'in the background; the credential of a provider is released. Cannot be reversed ' +
    '(docs/links.md#deleting-a-link).',
  getLinkHealth:
    'Every link has a health, a deleted one too; only feed and aggregator links have syncs ' +
    '(docs/links.md#health).',

  listBankAccounts: 'In the order of their IDs. An unknown link is 404.',
  getBankAccount: 'An archived one has deletedAt; its data can still be read.',
  getBalances:
    'A read of one row. Free-to-use is available minus the money in expenses and goals, and may ' +
    'be negative (docs/money.md#balances).',
  createBankAccount:
    'The opening balances are booked in the journal. 400 for a deleted link and for an ' +
    'aggregator link, whose accounts come from the aggregator (docs/links.md#bank-accounts).',
  archiveBankAccount:
    'From now on every write under it is 400. Cannot be reversed, and a second time is 400; an ' +
    'aggregator link has to be deleted as a whole (docs/links.md#archiving).',
  updateBankAccount:
    `${patch} Stated balances are set as they are, without a transaction; a new currency ` +
    'converts no amount. Keys that the kind of link does not allow are 400 ' +
    '(docs/links.md#bank-accounts).',
  listHistory:
    'Entries of balances and of all envelopes. nextCursor goes into after, and is null on the ' +
    'last page (docs/money.md#the-journal).',
  listSpendingHistory:
    'Entries of one envelope; of a goal also those of the amount that it has given. nextCursor ' +
    'goes into after, and is null on the last page.',

  listFundingSchedules: 'In the order of their IDs, all on one page.',
  getFundingSchedule: 'nextRecurrence is the next firing, at which contributions are moved.',
  createFundingSchedule:
    'Moves no money until its first firing. A schedule needs a rule that has a date left ' +
    '(docs/funding-schedules.md).',
  updateFundingSchedule:
    `${patch} A change of dates recalculates the contributions of all expenses and goals on the ` +
    'schedule, which the answer lists; otherwise spending is empty.',
  deleteFundingSchedule:
    '400 while an expense or a goal uses it. Transactions that it created are kept.',

  listSpending: 'In the order of their IDs, all on one page, paused ones too.',
  getSpending: 'Amounts are those of the envelope, dates and contribution those of the plan.',
  explainSpending:
    'The figures and English sentences of the calculation, as of the stored contribution ' +
    '(docs/plans.md#the-explanation).',
  createSpending:
    'The envelope starts empty; fundings and transfers fill it. spendingType decides which keys ' +
    'are accepted (docs/plans.md#creating-changing-and-deleting).',
  transferBetweenEnvelopes:
    'Balances do not change. 400 if the source envelope holds less; free-to-use may become ' +
    'negative. The answer has the source first, then the destination (docs/money.md#transfers).',
  updateSpending:
    `${patch} Moves no money. A new target, schedule, date or rule recalculates the contribution ` +
    '(docs/plans.md#creating-changing-and-deleting).',
  deleteSpending:
    'Its transactions are kept without their envelope. Cannot be reversed ' +
    '(docs/money.md#funding-and-periods).',
  listSpendingTransactions: `Only those that are not deleted. ${page}`,

  getForecast:
    'Read-only. Answers a chart if Accept prefers image/svg+xml. A forecast of too many events ' +
    'is 400: ask for less time (docs/forecast.md).',
  estimateSpending:
    'Stores nothing. Answers the most frequent contribution above 0 in two years ' +
    '(docs/forecast.md).',
  estimateNextFunding: 'Stores nothing. Answers the sum over all envelopes of the schedule.',

  listTransactions: `Filters may be combined, but not with offset. ${page}`,
  getTransaction: 'With the records of the provider. A soft-deleted one has deletedAt.',
  createTransaction:
    'With spendingId the envelope pays as much of the amount as it holds; the rest lowers ' +
    'free-to-use. Balances change only with adjustsBalance. 400 on a link that is not manual ' +
    '(docs/transactions.md#create).',
  createTransactions:
    'Valid items are booked in the order of the list in one commit, refused ones have an error: ' +
    'the answer is 200 even then (docs/api.md#bulk-requests).',
  updateTransaction:
    `${patch} A new amount or envelope moves money between envelopes and free-to-use, never ` +
    'balances. spending lists the envelopes that changed, the former one first ' +
    '(docs/transactions.md#change).',
  deleteTransaction:
    'Without adjusts_balance the balances and the envelope keep the deduction; with it both get ' +
    'the amount back. Deleting it again changes nothing (docs/money.md#deletion-of-transactions).',
  restoreTransaction:
    'Reverses its soft deletion: balances and envelope change back as they did. A repeated ' +
    'request restores it once (docs/money.md#restoration-of-transactions).',
  getSimilarTransactions:
    'Found by a search in the background, some time after a change ' +
    '(docs/similar-transactions.md).',

  createUpload:
    'The file is imported in the background: read the upload, or watch its progress. Rows that ' +
    'are stored already are skipped; a stated balance may set that of the bank account. CSV ' +
    'files go to import (docs/files.md#uploading).',
  listUploads: `Uploads of CSV imports are among them. ${page}`,
  getUpload: 'Repeat it until status is complete or failed.',
  undoUpload:
    'Deletes every transaction of the import and keeps later bookings; a second time changes ' +
    'nothing. 409 while the import still runs (docs/files.md#undoing).',
  watchUpload: `The first frame is the whole upload, later ones have what changed. ${socket}`,
  listFiles: 'The bytes of a file are kept only until they are read.',
  createImport:
    'Answers the columns of the file. The next step is a mapping; nothing is stored before the ' +
    'preview is confirmed (docs/files.md#csv-mappings).',
  listImports: page,
  getImport: 'Repeat it while status is pending-preview, pending-processing or processing.',
  updateImport:
    'Two steps: pending-preview with a mapping, then pending-processing. A step that does not ' +
    'follow the present status is 400 (docs/files.md#csv-mappings).',
  listMappings: 'An import has the signature of its columns, by which its mapping is found.',
  createMapping:
    'Mappings belong to the account and fit every file with the same columns. They are not ' +
    'changed: create another one (docs/files.md#csv-mappings).',
  deleteMapping: 'Imports keep a copy of their mapping.',

  listFeedLinks: 'Without deleted ones, all on one page.',
  getFeedLink: 'The API key of the provider is never answered.',
  createFeedLink:
    'The next steps are a refresh, and a link with its ID; a connection without a link is ' +
    'removed after a day (docs/banks/feed.md#connections).',
  listFeedBankAccounts:
    'Reads what the last refresh stored; the provider is not contacted ' +
    '(docs/banks/feed.md#refresh).',
  refreshFeedBankAccounts:
    'Takes up to 20 s. Known candidates are not changed. A failure of the provider is 500 with a ' +
    'text (docs/banks/feed.md#refresh).',
  syncFeedLink:
    'The sync runs in the background: watch its progress, or read the health of the link. 425 ' +
    'with Retry-After within 30 minutes (docs/banks/feed.md#requests).',
  watchFeedSync: `Open it before the sync is requested. ${socket}`,

  createLinkToken:
    'The client opens Plaid Link with it, where the user signs in and chooses accounts ' +
    '(docs/links.md#over-the-aggregator).',
  createAggregatorLink:
    'Exchanges the public token. The first sync runs in the background: wait for the set-up. 400 ' +
    'at the bound of links and for a second link in a trial.',
  waitForLinkSetup:
    'A long poll: 200 without a body as soon as the first sync has ended ' +
    '(docs/links.md#waiting-for-the-set-up).',
  createUpdateToken: 'When the institution asks for a new sign-in, or other accounts are wanted.',
  updateAggregatorLink:
    'Stores the renewed consent and creates bank accounts that are new. 400 for the token of ' +
    'another connection.',
  syncAggregatorLink:
    'The sync runs in the background: read the health of the link. 425 with Retry-After within ' +
    '30 minutes (docs/links.md#over-the-aggregator).',
  getInstitution: 'An unknown institution is 404, a failure of the aggregator 500.',
  receiveAggregatorWebhook:
    'For Plaid alone. 401 if the verification fails, 424 if it has to be sent again ' +
    '(docs/banks/webhooks.md#verification).',
}
