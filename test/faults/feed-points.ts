import {
  type Arm,
  afterCall,
  atBegin,
  atCall,
  atCommit,
  atRow,
  type HeldPoint,
  type LedgerCall,
  type RowKey,
} from './held-points.ts'
import type { LinkedAccount } from './linked-account.ts'

/** A point of a sync of feed-sync. */
export interface FeedPoint extends HeldPoint<LinkedAccount> {
  /** Number of transactions that the point needs at the provider. */
  rows: number
}

// An import has at most 500 transactions, so that these need two.
const twoImports = 510
const fewRows = 3

const textOfLink = ({ linkId }: LinkedAccount) => linkId
const textOfAccount = ({ bankAccountId }: LinkedAccount) => bankAccountId
const settingBalances = { method: 'SetBalances', textOf: textOfAccount }

/** Points in the provider's answers and in the calls of the ledger: for kills of both processes. */
export const sharedFeedPoints: FeedPoint[] = [
  asked('the list of accounts', () => /^\/accounts$/),
  asked('the transactions', ({ feedId }) => new RegExp(`^/accounts/${feedId}/transactions`)),
  asked('the balance', ({ feedId }) => new RegExp(`^/accounts/${feedId}/balance`)),
  ...called({ method: 'ListSyncedBankAccounts', textOf: textOfLink }),
  ...called({ method: 'UpsertBankAccounts', textOf: textOfLink }),
  ...called({ method: 'ImportTransactions', textOf: textOfAccount }),
  ...called({ method: 'ImportTransactions', textOf: textOfAccount, skipped: 1 }),
  ...called({ method: 'ListProviderTransactions', textOf: textOfAccount }),
  ...called({ method: 'RemoveTransactions', textOf: textOfAccount }),
  ...called(settingBalances),
  {
    ...point('while the ledger writes transactions', atRow(rowIn('ledger.bank_accounts'))),
    isImport: true,
  },
]

/** Points in feed-sync's own state: for kills of feed-sync. */
export const ownFeedPoints: FeedPoint[] = [
  point('after the request is stored', atBegin),
  saving('feed_sync.feed_bank_accounts'),
  saving('feed_sync.feed_links'),
  // The first transaction of the link stores the request.
  point(
    'after the begin is committed',
    atCommit(({ feedLinkId }) => feedLinkId, 1),
  ),
  committed('feedBankAccountId'),
  committed('feedLinkId'),
]

/** Feed-sync saves the balance of the bank account, or the end of the sync of the link. */
function saving(table: string): FeedPoint {
  return point(`while ${table} is saved`, afterCall(settingBalances, atRow(rowIn(table))))
}

/** Postgres commits the end of the sync of the bank account, or of the link, after the kill. */
function committed(id: 'feedBankAccountId' | 'feedLinkId'): FeedPoint {
  const commit = atCommit<LinkedAccount>((work) => work[id])
  return point(`after the end is committed for the ${id}`, afterCall(settingBalances, commit))
}

/** The provider has the request and has not answered. */
function asked(what: string, pathOf: (work: LinkedAccount) => RegExp): FeedPoint {
  return point(`while the provider is asked for ${what}`, async (_, work) => {
    return work.holdAnswer(pathOf(work))
  })
}

/** A call is held on its way to the ledger, or its answer after the ledger has committed it. */
function called(call: LedgerCall<LinkedAccount>): FeedPoint[] {
  const { method, skipped = 0 } = call
  return (['request', 'answer'] as const).map((side) => ({
    ...point(
      `${side === 'request' ? 'before' : 'after'} ${method} number ${skipped + 1}`,
      atCall(call, side),
    ),
    isImport: method === 'ImportTransactions',
    rows: skipped > 0 ? twoImports : fewRows,
  }))
}

function point(name: string, arm: Arm<LinkedAccount>): FeedPoint {
  return { name, arm, isImport: false, rows: fewRows }
}

/** Returns a function that returns the key of the link's row in a table. */
function rowIn(table: string) {
  return ({ linkId, bankAccountId, person }: LinkedAccount): RowKey => {
    const id = table.endsWith('links') ? { link_id: linkId } : { bank_account_id: bankAccountId }
    return { table, key: { account_id: person.accountId, ...id } }
  }
}
