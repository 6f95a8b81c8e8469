import { createGoalIn } from '../../harness/goal.ts'
import type { Json, Person } from '../../harness/person.ts'
import { type Chance, choose } from './chance.ts'

/** Fields of a transaction that belong to its user. */
export interface Mine {
  name: string
  notes?: string
  spendingId?: string
  merchantName?: string
}

/** A bank account of a person, with its path in the REST API. */
export interface Home {
  person: Person
  path: string
}

/** A user with an envelope, and everything that the user wrote about transactions. */
export interface User {
  home: Home
  envelopeId: string
  /** By transaction ID; the name that a new transaction got is its user's too. */
  mine: Map<string, Mine>
}

// More than all purchases of a script together: an envelope gives no more than it has.
export const envelopeCents = 100_000_000

/** Creates the envelope of a user. */
export async function createUser(home: Home): Promise<User> {
  const envelopeId = await createGoalIn(home.person, home.path, envelopeCents)
  return { home, envelopeId, mine: new Map() }
}

/** Returns whether the user has worked on a transaction. */
export function hasEdits({ mine }: User, transactionId: string | null | undefined): boolean {
  const { name = '', ...others } = mine.get(transactionId ?? '') ?? {}
  return name.startsWith('Mine ') || Object.values(others).some((value) => value !== undefined)
}

type Act = (user: User, transaction: Json, chance: Chance) => Promise<void>

/** All actions of a user on a transaction. */
export const userActions = {
  rename: (user, one, { pick }) => patch(user, one, { name: `Mine ${pick}` }),
  note: (user, one, { pick }) => patch(user, one, { notes: `Note ${pick}` }),
  correctMerchant: (user, one, { pick }) => patch(user, one, { merchantName: `Shop ${pick}` }),
  assign: async (user, one) => {
    if (one.amount > 0) await patch(user, one, { spendingId: user.envelopeId })
  },
  unassign: async ({ home, mine }, { transactionId }) => {
    const path = `${home.path}/transactions/${transactionId}`
    await home.person.patch(path, { spendingId: null })
    delete mine.get(transactionId)?.spendingId
  },
  // Only the provider removes its transactions.
  remove: async ({ home }, { transactionId }) => {
    const path = `${home.path}/transactions/${transactionId}`
    const { status } = await home.person.call('DELETE', path)
    if (status !== 400) throw new Error(`a transaction of a provider was deleted: ${status}`)
  },
} satisfies Record<string, Act>

export type UserAction = keyof typeof userActions

/** Does an action of the user on one of the transactions; nothing if there is none. */
export async function act(user: User, kind: UserAction, chance: Chance): Promise<void> {
  const one = choose(await readTransactions(user.home), chance.pick)
  if (one) await userActions[kind](user, one, chance)
}

/** Renames a transaction, adds a note, and assigns it to the envelope. */
export async function workOn(user: User, transactionId: string | null, chance: Chance) {
  const one = (await readTransactions(user.home)).find((is) => is.transactionId === transactionId)
  if (!one) throw new Error('the ledger lacks a transaction')
  for (const kind of ['rename', 'note', 'assign'] as const) {
    await userActions[kind](user, one, chance)
  }
}

/** Lists all live transactions of the bank account. */
export function readTransactions({ person, path }: Home): Promise<Json[]> {
  return person.get(`${path}/transactions?limit=100`)
}

async function patch({ home, mine }: User, one: Json, fields: Partial<Mine>): Promise<void> {
  await home.person.patch(`${home.path}/transactions/${one.transactionId}`, fields)
  mine.set(one.transactionId, { name: one.name, ...mine.get(one.transactionId), ...fields })
}
