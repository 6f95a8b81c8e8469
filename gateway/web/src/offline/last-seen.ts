import { basePath } from '../base-path.ts'
import { erasuresSoFar, family, inTurn, mayKeep, namesOfFamily } from './erasure.ts'

const answersMax = 200
const charactersMax = 1_000_000
/** Minimum interval in ms between two updates of the time of the server's last answer. */
const noteMs = 30_000

const seenAt = `${basePath}last-seen-at`

/** Paths of the answers that the frame needs: never evicted. */
const framePaths = ['api/users/me', 'api/config', 'api/overview', 'api/locale/currency']

/**
 * Paths of the answers that are stored: amounts and plans. Left out: keys, sessions, exports,
 * files, webhooks and connections.
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

/**
 * The user whose answers this tab stores, and the number of erasures (`erasuresSoFar`) at that
 * time; null until `api/users/me` has answered.
 */
let owner: { id: string; since: number } | null = null
let notedAt = 0

function isKept(url: string): boolean {
  return mayKeep() && keptPaths.test(pathOf(url))
}

/**
 * Stores an answer for offline use, if the user has agreed on this device and no erasure has
 * happened since the request: `since` is `erasuresSoFar` at that time. After a 304 (`isKnown`), the
 * answer is stored only if it is missing.
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

/**
 * Stores the current time as that of the server's last answer, unless an erasure has happened since
 * the request (`since`, as for `keepAnswer`).
 */
export async function noteSeen(since: number): Promise<void> {
  if (!mayKeep() || Date.now() - notedAt < noteMs) return
  await inTurn(async () => {
    const cache = since === erasuresSoFar() ? await ownCache() : undefined
    if (cache === undefined || Date.now() - notedAt < noteMs) return
    notedAt = Date.now()
    await cache.put(seenAt, new Response(new Date().toISOString()))
  })
}

/** Returns the stored answer for the last user of this device; null without one. */
export async function findLastSeen(url: string): Promise<Response | null> {
  if (!isKept(url)) return null
  const [name, ...others] = await namesOfFamily()
  const id = ownerNow()
  const isOther = others.length > 0 || (id !== null && name !== family + id)
  if (name === undefined || isOther) return null
  return (await (await caches.open(name)).match(url)) ?? null
}

/** Returns the time of the server's last answer, exact to 30 seconds; null if nothing is stored. */
export async function findLastSeenAt(): Promise<Date | null> {
  if (!mayKeep()) return null
  const [name] = await namesOfFamily()
  const found = name === undefined ? null : await (await caches.open(name)).match(seenAt)
  return found ? new Date(await found.text()) : null
}

/** Creates the cache of a user, and erases those of other users. */
async function own(id: string): Promise<void> {
  owner = { id, since: erasuresSoFar() }
  notedAt = 0
  for (const name of await namesOfFamily()) {
    if (name !== family + id) await caches.delete(name)
  }
  await caches.open(family + id)
}

/** Returns the ID of this tab's user; null after an erasure. */
function ownerNow(): string | null {
  return owner?.since === erasuresSoFar() ? owner.id : null
}

/** Returns the cache of this tab's user; undefined if another tab has erased it. */
async function ownCache(): Promise<Cache | undefined> {
  const id = ownerNow()
  if (id === null || !(await caches.has(family + id))) return undefined
  return await caches.open(family + id)
}

/** Evicts the oldest answers beyond the maximum. A cache lists its entries in insertion order. */
async function dropOldest(cache: Cache): Promise<void> {
  const kept = (await cache.keys()).filter(({ url }) => keptPaths.test(pathOf(url)))
  const others = kept.filter(({ url }) => !framePaths.includes(pathOf(url)))
  for (const one of others.slice(0, Math.max(0, kept.length - answersMax))) await cache.delete(one)
}

/** Returns the ID of the user, and the answer of `me` without data of the second factor. */
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
