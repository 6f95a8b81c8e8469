import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Coffer } from '../../harness/coffer.ts'
import type { Json } from '../../harness/person.ts'
import { envelopeCents, type Mine, readTransactions, type User } from './user-actions.ts'

/** The part of the REST API's answers that a model compares. */
export interface Shown {
  transactions: Json[]
  /** Current and available balance. */
  balances: number[]
  /** Amount of the user's envelope. */
  envelope: number
}

/** Reads all that a model compares; the audit must find nothing. */
export async function look({ booted }: Coffer, { home, envelopeId }: User): Promise<Shown> {
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
  const { current, available } = await home.person.get(`${home.path}/balances`)
  const { currentAmount } = await home.person.get(`${home.path}/spending/${envelopeId}`)
  return {
    transactions: await readTransactions(home),
    balances: [current, available],
    envelope: currentAmount,
  }
}

/** Each transaction has what its user wrote, and the envelope lacks what it took. */
export function checkUser({ mine }: User, shown: Shown): void {
  let left = envelopeCents
  for (const one of shown.transactions) {
    const { transactionId } = one
    const known: Mine = mine.get(transactionId) ?? { name: one.name }
    mine.set(transactionId, known)
    expect(one).toMatchObject(known)
    const { notes, spendingId } = one
    expect([notes, spendingId]).toEqual([known.notes ?? null, known.spendingId ?? null])
    if (spendingId === null) continue
    expect(one.spendingAmount).toBe(one.amount)
    left -= one.amount
  }
  expect(shown.envelope).toBe(left)
}

const Version = z.object({ version: z.bigint() })

/** Returns the version of a bank account, and the number of events of its account. */
export async function written({ booted }: Coffer, { person, path }: User['home']) {
  const { accountId } = person
  const bankAccountId = path.replace('/bank_accounts/', '')
  const version = await booted.database('ledger').pool.oneFirst(sql.type(Version)`
    SELECT version FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
  return { version, changes: (await booted.changes('ledger', accountId)).length }
}
