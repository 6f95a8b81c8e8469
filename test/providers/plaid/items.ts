import { randomUUID } from 'node:crypto'
import { PlaidRefusal } from './errors.ts'
import { createItem, type NewItem, newAccessToken, type StoredItem } from './item.ts'

const publicTokenMs = 30 * 60_000

/** The items of the simulated Plaid with their tokens. */
export interface Items {
  create: (of: NewItem) => StoredItem
  all: () => StoredItem[]
  byId: (itemId: string) => StoredItem
  /** Returns the item of an access token, removed ones too; null if there is none. */
  find: (accessToken: unknown) => StoredItem | null
  /** Returns a public token of an item. It is valid for 30 minutes, and for one exchange. */
  createPublicToken: (item: StoredItem) => string
  /** @throws {PlaidRefusal} for an unknown, used or expired token */
  exchange: (publicToken: string) => StoredItem
  /** Returns the item of an access token. @throws {PlaidRefusal} if there is none to read */
  open: (accessToken: string) => StoredItem
  /** Gives an item another access token, and refuses the former. */
  renewAccessToken: (item: StoredItem) => void
}

/** Creates the items, without any. */
export function createItems(now: () => Date): Items {
  const all: StoredItem[] = []
  const publicTokens = new Map<string, { item: StoredItem; expiresAt: number }>()
  const find = (token: unknown) => all.find(({ accessToken }) => accessToken === token) ?? null
  return {
    create: (of) => {
      const item = createItem(of)
      all.push(item)
      return item
    },
    all: () => all,
    byId: (itemId) => {
      const item = all.find((one) => one.itemId === itemId)
      if (!item) throw new Error(`there is no item ${itemId}`)
      return item
    },
    find,
    createPublicToken: (item) => {
      const token = `public-sandbox-${randomUUID()}`
      publicTokens.set(token, { item, expiresAt: now().getTime() + publicTokenMs })
      return token
    },
    exchange: (token) => {
      const found = publicTokens.get(token)
      if (!found || found.expiresAt <= now().getTime()) {
        throw new PlaidRefusal('INVALID_PUBLIC_TOKEN')
      }
      publicTokens.delete(token)
      return found.item
    },
    open: (accessToken) => {
      if (!/^access-[a-z]+-[\w-]+$/.test(accessToken)) {
        const form = 'expected format: access-<environment>-<identifier>'
        const text = `provided access token is in an invalid format. ${form}`
        throw new PlaidRefusal('INVALID_ACCESS_TOKEN', text)
      }
      const item = find(accessToken)
      if (!item) throw new PlaidRefusal('INVALID_ACCESS_TOKEN')
      if (item.isRemoved) throw new PlaidRefusal('ITEM_NOT_FOUND')
      return item
    },
    renewAccessToken: (item) => {
      item.accessToken = newAccessToken()
    },
  }
}
