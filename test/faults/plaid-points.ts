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
import { prepareOtherUpdate } from './plaid-other-update.ts'
import {
  type PlaidPlace,
  type PlaidWork,
  prepareRelease,
  prepareSetUp,
  prepareSync,
  prepareUpdate,
} from './plaid-work.ts'

/** A point in the work of aggregator-sync, with a function that prepares such work. */
export type PlaidPoint = HeldPoint<PlaidWork> & {
  prepare: (place: PlaidPlace) => Promise<PlaidWork>
}

type Call = LedgerCall<PlaidWork>
type Prepare = PlaidPoint['prepare']

const textOfLink = ({ linkText }: PlaidWork) => linkText
const textOfAccount = ({ accountText }: PlaidWork) => accountText
const textOfItem = ({ item }: PlaidWork) => item.itemId

const linkRow = ({ linkId }: PlaidWork): RowKey => {
  return { table: 'aggregator_sync.aggregator_links', key: { link_id: linkId ?? '' } }
}
const bankAccountRow = ({ accountText }: PlaidWork): RowKey => {
  return { table: 'ledger.bank_accounts', key: { bank_account_id: accountText } }
}

const ofLink = (method: string): Call => ({ method, textOf: textOfLink })
const ofAccount = (method: string): Call => ({ method, textOf: textOfAccount })
const listing = ofLink('ListSyncedBankAccounts')
const importing = ofAccount('ImportTransactions')
const detaching = ofLink('DetachLink')

/** Both sides of a call of the ledger. */
function called(prepare: Prepare, call: Call): PlaidPoint[] {
  const { method, skipped = 0 } = call
  const isImport = method === 'ImportTransactions'
  return (['request', 'answer'] as const).map((side) => {
    const when = side === 'request' ? 'before' : 'after'
    return point(prepare, `${when} ${method} ${skipped + 1}`, atCall(call, side), isImport)
  })
}

/** Plaid has the request, and has not answered. */
function asked(
  prepare: Prepare,
  path: RegExp,
  how: { skipped?: number; isLost?: boolean } = {},
): PlaidPoint {
  const arm: Arm<PlaidWork> = async (_, work) => work.holdAnswer(path, how)
  const { skipped = 0, isLost = false } = how
  return point(prepare, `while Plaid answers ${path} ${skipped + 1}${isLost ? ', lost' : ''}`, arm)
}

function point(prepare: Prepare, name: string, arm: Arm<PlaidWork>, isImport = false): PlaidPoint {
  return { name: `${name} (${prepare.name})`, isImport, arm, prepare }
}

const sync = (place: PlaidPlace) => prepareSync(place)
const webhook = (place: PlaidPlace) => prepareSync(place, 'webhook')
const setUp = (place: PlaidPlace) => prepareSetUp(place, false)
const lostSetUp = (place: PlaidPlace) => prepareSetUp(place, true)
const update = (place: PlaidPlace) => prepareUpdate(place)
const otherUpdate = (place: PlaidPlace) => prepareOtherUpdate(place, false)
const lostOtherUpdate = (place: PlaidPlace) => prepareOtherUpdate(place, true)
const release = (place: PlaidPlace) => prepareRelease(place)

/** Points in Plaid's answers and in the calls of the ledger: for kills of both processes. */
export const sharedPlaidPoints: PlaidPoint[] = [
  asked(sync, /accounts\/get$/),
  asked(sync, /transactions\/sync$/),
  asked(sync, /transactions\/sync$/, { skipped: 1 }),
  asked(sync, /transactions\/get$/),
  ...called(sync, listing),
  ...called(sync, ofLink('UpsertBankAccounts')),
  ...called(sync, importing),
  ...called(sync, { ...importing, skipped: 1 }),
  ...called(sync, ofAccount('RemoveTransactions')),
  point(sync, 'while the ledger writes transactions', atRow(bankAccountRow), true),
  asked(setUp, /accounts\/get$/),
  ...called(setUp, ofLink('UpsertLink')),
  ...called(setUp, ofAccount('UpsertBankAccounts')),
  asked(update, /accounts\/get$/),
  asked(update, /accounts\/get$/, { skipped: 1 }),
  ...called(update, listing),
  ...called(update, ofAccount('UpsertBankAccounts')),
  ...called(update, { ...ofAccount('UpsertBankAccounts'), skipped: 1 }),
  asked(release, /item\/remove$/),
  ...called(release, detaching),
]

/** Points in aggregator-sync's own state: for kills of aggregator-sync. */
export const ownPlaidPoints: PlaidPoint[] = [
  point(sync, 'after the request is stored', atBegin),
  point(sync, 'after the begin is committed', atCommit(textOfLink, 1)),
  point(sync, 'after the item is taken', afterCall(listing, atCommit(textOfLink))),
  point(sync, 'after the added are noted', afterCall(listing, atCommit(textOfLink, 1))),
  point(sync, 'while the added are noted', afterCall(listing, atRow(linkRow))),
  point(sync, 'while the cursor is saved', afterCall(importing, atRow(linkRow)), true),
  point(sync, 'after the cursor is saved', afterCall(importing, atCommit(textOfLink)), true),
  point(
    sync,
    'after the end is committed',
    afterCall({ ...listing, skipped: 1 }, atCommit(textOfLink, 1)),
  ),
  asked(webhook, /webhook_verification_key\/get$/),
  point(webhook, 'before the effect of the webhook', atRow(linkRow)),
  point(webhook, 'after the effect is committed', atCommit(textOfItem)),
  point(setUp, 'after the link is stored', atCommit(textOfLink)),
  asked(setUp, /public_token\/exchange$/, { isLost: true }),
  asked(lostSetUp, /public_token\/exchange$/),
  point(setUp, 'after the item is stored', atCommit(textOfItem)),
  point(
    setUp,
    'after the creation is committed',
    afterCall(ofAccount('UpsertBankAccounts'), atCommit(textOfLink)),
  ),
  asked(update, /link\/token\/create$/),
  asked(update, /public_token\/exchange$/),
  asked(update, /public_token\/exchange$/, { isLost: true }),
  point(update, 'while the update is stored', atRow(linkRow)),
  point(update, 'after the update is committed', atCommit(textOfLink)),
  point(
    update,
    'after the chosen accounts are created',
    afterCall({ ...ofAccount('UpsertBankAccounts'), skipped: 1 }, atCommit(textOfLink)),
  ),
  point(otherUpdate, 'after the public token is stored', atCommit(textOfAccount)),
  asked(otherUpdate, /public_token\/exchange$/, { isLost: true }),
  asked(lostOtherUpdate, /public_token\/exchange$/),
  point(otherUpdate, 'after the other item is stored', atCommit(textOfItem)),
  asked(otherUpdate, /item\/remove$/),
  asked(otherUpdate, /item\/remove$/, { isLost: true }),
  point(release, 'after the deletion', atBegin),
  point(release, 'before the end of the connection', atRow(linkRow)),
  asked(release, /item\/remove$/, { isLost: true }),
  point(release, 'after the release is committed', afterCall(detaching, atCommit(textOfLink))),
]
