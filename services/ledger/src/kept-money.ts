import type { BankAccount } from './bank-account.ts'
import type { Envelope } from './envelope.ts'

/** A bank account and the envelopes of it that a write is about. */
interface Scope {
  accountId: string
  bankAccountId: string
  spendingIds: readonly string[]
  transactionIds: readonly string[]
}

/** Rows as they were last saved; `seen` names their versions. */
interface Rows {
  bankAccount: BankAccount
  envelopes: Envelope[]
  transactions: []
  seen: { account: string; envelopes: string[]; transactions: [] }
}

/** Rows that were saved in one transaction, whose ID is their version. */
interface SavedRows {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  version: string
}

/** What the writes of this process left behind, for the next ones. */
export interface KeptMoney {
  /**
   * The rows of a scope, where all of them are kept. They may have been changed since by somebody
   * else: what is decided on them counts only once a save has found them unchanged.
   */
  find: (scope: Scope, now: Date) => Rows | null
  keep: (saved: SavedRows, now: Date) => void
  forget: (scope: Pick<Scope, 'accountId' | 'bankAccountId'>) => void
  /** Forgets everything: after a fault nobody knows what was saved, or by which server. */
  clear: () => void
}

interface Kept {
  bankAccount: BankAccount
  account: string
  envelopes: Map<string, { envelope: Envelope; seen: string }>
  at: number
}

const bankAccountsMax = 1_000
const envelopesMax = 200
// A version is told from all others that are not four billion transactions away.
const keptMs = 10_000

/**
 * Keeps the rows of the bank accounts that were written to last, for ten seconds each, so that one
 * write after the other need not read what the one before has just saved.
 */
export function createKeptMoney(): KeptMoney {
  const accounts = new Map<string, Kept>()
  return {
    find: ({ spendingIds, transactionIds, ...scope }, now) => {
      const kept = accounts.get(keyOf(scope))
      if (!kept || now.getTime() - kept.at >= keptMs || transactionIds.length > 0) return null
      const envelopes = spendingIds.flatMap((spendingId) => kept.envelopes.get(spendingId) ?? [])
      if (envelopes.length < spendingIds.length) return null
      return {
        bankAccount: kept.bankAccount,
        envelopes: envelopes.map(({ envelope }) => envelope),
        transactions: [],
        seen: {
          account: kept.account,
          envelopes: envelopes.map(({ seen }) => seen),
          transactions: [],
        },
      }
    },
    keep: ({ bankAccount, envelopes: saved, version }, now) => {
      const key = keyOf(bankAccount)
      const envelopes = accounts.get(key)?.envelopes ?? new Map()
      if (envelopes.size + saved.length > envelopesMax) envelopes.clear()
      for (const envelope of saved) {
        const { spendingId } = envelope
        envelopes.set(spendingId, { envelope, seen: `${spendingId} ${version}` })
      }
      // The last in the order of a map is what was set last.
      accounts.delete(key)
      const [oldest] = accounts.size < bankAccountsMax ? [] : accounts.keys()
      if (oldest !== undefined) accounts.delete(oldest)
      accounts.set(key, { bankAccount, account: version, envelopes, at: now.getTime() })
    },
    forget: (scope) => accounts.delete(keyOf(scope)),
    clear: () => accounts.clear(),
  }
}

function keyOf({ accountId, bankAccountId }: { accountId: string; bankAccountId: string }): string {
  return `${accountId} ${bankAccountId}`
}
