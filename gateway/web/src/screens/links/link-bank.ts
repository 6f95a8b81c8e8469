import { CofferError } from '@coffer/client'
import { coffer } from '../../api/client.ts'
import { setSender } from '../../api/sending/sender.ts'
import { basePath, ownName } from '../../base-path.ts'
import { linkWords as words } from '../../words/links.ts'
import { openPlaidLink } from './plaid-link.ts'

/** Steps that the user sees. */
export type Step = 'opening' | 'open' | 'storing' | 'syncing'

/** State of Plaid Link that survives the redirect to a bank; `linkId` is null for a new link. */
interface Wanted {
  linkToken: string
  /** The user who began, and gets the link. */
  userId: string
  linkId: string | null
  /** Query of the URL at which Link was opened. */
  search: string
}

const place = ownName('coffer-link')
/** Maximum number of long polls for the set-up. Each ends after 30 s with 408. */
const waitsMax = 10

/**
 * Creates a link by Plaid Link, or updates the link in the URL. Returns the URL in the app to
 * continue at; null if the user closes Plaid Link.
 */
export async function linkBank(report: (step: Step) => void): Promise<string | null> {
  report('opening')
  const isReturn = location.pathname.endsWith('/oauth-return')
  const wanted = isReturn ? await readWanted() : await newWanted()
  setSender(wanted.userId)
  // OAuth: the bank's sign-in replaces this page and then returns to it. The link token is stored,
  // because Plaid Link has to continue with the same one.
  sessionStorage.setItem(place, JSON.stringify(wanted))
  report('open')
  const returnedTo = isReturn ? location.href : null
  const chosen = await openPlaidLink(wanted.linkToken, { returnedTo, blocked: words.blocked })
  if (chosen === null) return null
  sessionStorage.removeItem(place)
  report('storing')
  const { publicToken, accountIds, ...institution } = chosen
  const choice = { publicToken, accountIds }
  if (wanted.linkId !== null) {
    await coffer.updateAggregatorLink({ body: { ...choice, linkId: wanted.linkId } })
    return `${basePath}accounts`
  }
  const { linkId } = (await coffer.createAggregatorLink({ body: { ...choice, ...institution } }))
    .data
  report('syncing')
  await waitForSetup(linkId)
  const accounts = (await coffer.listBankAccounts({ query: { link_id: linkId } })).data
  const [first] = accounts ?? []
  return first ? `${basePath}setup/plan?account=${first.bankAccountId}` : `${basePath}accounts`
}

async function newWanted(): Promise<Wanted> {
  const asked = new URLSearchParams(location.search)
  const linkId = asked.get('link')
  const { search } = location
  const { userId } = (await coffer.getMe()).data.user
  if (linkId === null) {
    return { search, userId, linkId, linkToken: (await coffer.createLinkToken()).data.linkToken }
  }
  const query = { update_account_selection: asked.has('accounts') }
  const { linkToken } = (await coffer.createUpdateToken({ path: { linkId }, query })).data
  return { search, userId, linkId, linkToken }
}

/** Opens Plaid Link again; after an OAuth redirect at the URL where it was first opened. */
export function startAgain(repeat: () => void): void {
  if (!location.pathname.endsWith('/oauth-return')) {
    repeat()
    return
  }
  const kept = sessionStorage.getItem(place)
  const { search }: Pick<Wanted, 'search'> = kept === null ? { search: '' } : JSON.parse(kept)
  location.assign(`${basePath}links/connect${search}`)
}

/**
 * Returns the state that this tab has stored before the redirect. If there is none, it is that of a
 * new link, with the link token that the server has cached.
 */
async function readWanted(): Promise<Wanted> {
  const kept = sessionStorage.getItem(place)
  if (kept !== null) return JSON.parse(kept)
  const { userId } = (await coffer.getMe()).data.user
  const { linkToken } = (await coffer.createLinkToken({ query: { use_cache: true } })).data
  return { search: '', userId, linkId: null, linkToken }
}

/** Waits for the first sync. If it takes longer, it continues in the background. */
async function waitForSetup(linkId: string): Promise<void> {
  for (let waits = 0; waits < waitsMax; waits += 1) {
    try {
      await coffer.waitForLinkSetup({ path: { linkId }, timeoutMs: 45_000 })
      return
    } catch (error) {
      if (!(error instanceof CofferError && error.status === 408)) throw error
    }
  }
}
