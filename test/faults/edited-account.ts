import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import type pg from 'pg'
import { createGoalIn } from '../harness/goal.ts'
import type { Json, Person } from '../harness/person.ts'

const edits = { name: 'Coffee with Ann', notes: 'her turn next' }
const held = 5_000
const cafe = 450
const corrected = 1_100

/**
 * Lets a user pay the three synced transactions of a bank account from a goal, and edit the one of
 * 4.50. Returns a check that the edits are kept, after the bank has posted this one, corrected
 * another to 11.00, removed the third, and stated a balance of 77.25.
 */
export async function editAccount(person: Person, path: string): Promise<() => Promise<void>> {
  const spendingId = await createGoalIn(person, path, held)
  const all: Json[] = await person.get(`${path}/transactions?limit=100`)
  const { transactionId } = all.find(({ amount }) => amount === cafe)
  for (const one of all) {
    const own = one.transactionId === transactionId ? edits : {}
    await person.patch(`${path}/transactions/${one.transactionId}`, { ...own, spendingId })
  }
  return async () => {
    const fields = { amount: cafe, isPending: false, spendingId, spendingAmount: cafe }
    const kept = await person.get(`${path}/transactions/${transactionId}`)
    expect(kept).toMatchObject({ ...edits, ...fields })
    const left = held - cafe - corrected
    expect(await person.get(`${path}/spending/${spendingId}`)).toMatchObject({
      currentAmount: left,
      usedAmount: cafe + corrected,
    })
    expect(await person.get(`${path}/balances`)).toMatchObject({
      current: 7_725,
      available: 7_725,
      goals: left,
    })
  }
}

/** Time in ms in which killed work ends. Temporal notices a killed process after 10 s. */
export const endMs = 120_000

/** Reads a row until a condition holds, as long as killed work may take; returns the row. */
export function untilRow(
  reader: pg.Pool,
  query: { text: string; values: unknown[] },
  isReached: (row: Json | undefined) => boolean,
): Promise<Json> {
  const read = async (): Promise<Json | undefined> => (await reader.query(query)).rows[0]
  return eventually(read, isReached, endMs)
}
