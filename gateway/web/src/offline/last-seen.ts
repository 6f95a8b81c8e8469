import { basePath } from '../base-path.ts'
import { erasuresSoFar, family, inTurn, mayKeep, namesOfFamily } from './erasure.ts'

const answersMax = 200
const charactersMax = 1_000_000
/** Time in ms between two notes of when the server has answered last. */
const noteMs = 30_000

const seenAt = `${basePath}last-seen-at`

/** Paths of the answers that the frame needs: they are not dropped for newer ones. */
const framePaths = ['api/users/me', 'api/config', 'api/overview', 'api/locale/currency']

/**
 * Paths of the answers that are kept: figures and plans. Keys, sessions, exports, files, webhooks
 * and connections are not among them.
 */
const keptPaths = new RegExp(
  [
    `^(?:${framePaths.join('|')}|api/tags|api/rules|api/transactions|api/bank_accounts)$`,
    '^api/bank_accounts/bac_\\w+/(?:funding_schedules|spending|forecast|transactions|history)$',
    '^api/bank_accounts/bac_\\w+/transactions/txn_\\w+$',
    '^api/bank_accounts/bac_\\w+/spending/spnd_\\w+/(?:explain|history|transactions)$',
  ].join('|'),
)

interface Person {
  user: { userId: string; login: { totpEnabledAt?: unknown } }
  recoveryCodesLeft?: unknown
}

/** The person whose answers this tab keeps; null until `me` has answered. */
let owner: { id: string; since: number } | null = null
let notedAt = 0

function isKept(url: string): boolean {
  return mayKeep() && keptPaths.test(pathOf(url))
}

/**
 * Keeps an answer for times without a network, if the person has chosen so for this device. One
 * that is known to be unchanged (`isKnown`) is kept if it is not there.
 */
export async function keepAnswer(
  url: string,
  { body, headers, isKnown = false }: { body: string; headers: Headers; isKnown?: boolean },
  since: number,
): Promise<void> {
  if (!isKept(url) || body.length > charactersMax) return
  const isPerson = pathOf(url) === 'api/users/me'
  const person = isPerson ? personOf(body) : null
  await inTurn(async () => {
    if (since !== erasuresSoFar()) return
    if (person !== null) await own(person.id)
    const cache = await ownCache()
    if (cache === undefined || (isKnown && (await cache.match(url)))) return
    await cache.put(url, answerOf(person?.text ?? body, headers))
    await dropOldest(cache)
  })
  if (isPerson) await noteSeen(since)
}

/** Notes that the server has answered just now. */
export async function noteSeen(since: number): Promise<void> {
  if (!mayKeep() || Date.now() - notedAt < noteMs) return
  await inTurn(async () => {
    const cache = since === erasuresSoFar() ? await ownCache() : undefined
    if (cache === undefined || Date.now() - notedAt < noteMs) return
    notedAt = Date.now()
    await cache.put(seenAt, new Response(new Date().toISOString()))
  })
}

/** Returns the kept answer to a request of the person who was seen last; null for none. */
export async function findLastSeen(url: string): Promise<Response | null> {
  if (!isKept(url)) return null
  const [name, ...others] = await namesOfFamily()
  const id = ownerNow()
  const isOther = others.length > 0 || (id !== null && name !== family + id)
  if (name === undefined || isOther) return null
  return (await (await caches.open(name)).match(url)) ?? null
}

/** Returns when the server has answered last, within half a minute; null if nothing is kept. */
export async function findLastSeenAt(): Promise<Date | null> {
  if (!mayKeep()) return null
  const [name] = await namesOfFamily()
  const found = name === undefined ? null : await (await caches.open(name)).match(seenAt)
  return found ? new Date(await found.text()) : null
}

/** Creates the cache of a person, and erases those of others. */
async function own(id: string): Promise<void> {
  owner = { id, since: erasuresSoFar() }
  notedAt = 0
  for (const name of await namesOfFamily()) {
    if (name !== family + id) await caches.delete(name)
  }
  await caches.open(family + id)
}

/** Returns the person of this tab; null after an erasure. */
function ownerNow(): string | null {
  return owner?.since === erasuresSoFar() ? owner.id : null
}

/** Returns the cache of this tab's person; undefined if another tab has erased it. */
async function ownCache(): Promise<Cache | undefined> {
  const id = ownerNow()
  if (id === null || !(await caches.has(family + id))) return undefined
  return await caches.open(family + id)
}

/** Drops answers beyond the bound. A cache lists them in the order in which they were put. */
async function dropOldest(cache: Cache): Promise<void> {
  const kept = (await cache.keys()).filter(({ url }) => keptPaths.test(pathOf(url)))
  const others = kept.filter(({ url }) => !framePaths.includes(pathOf(url)))
  for (const one of others.slice(0, Math.max(0, kept.length - answersMax))) await cache.delete(one)
}

/** Returns the ID and the answer of `me` without the state of the second factor. */
function personOf(body: string): { id: string; text: string } {
  const { recoveryCodesLeft: _left, ...me } = JSON.parse(body) as Person
  const { totpEnabledAt: _at, ...login } = me.user.login
  return { id: me.user.userId, text: JSON.stringify({ ...me, user: { ...me.user, login } }) }
}

function answerOf(body: string, headers: Headers): Response {
  const kept = new Headers()
  for (const name of ['content-type', 'link']) {
    const value = headers.get(name)
    if (value !== null) kept.set(name, value)
  }
  return new Response(body, { headers: kept })
}

function pathOf(url: string): string {
  const { pathname } = new URL(url, location.href)
  return pathname.startsWith(basePath) ? pathname.slice(basePath.length) : ''
}
