import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { type Json, newPerson, type Person } from '../../harness/person.ts'
import type { Interrupted, Killable } from './interrupted.ts'

const rowCount = 1_500
const accounts = ['1001', '1002', '1003']

/** Returns a file of all accounts, each with its rows and a balance of 700.00. */
function fileOf(): string {
  const rows = Array.from({ length: rowCount }, (_, at) => {
    const fields = `<DTPOSTED>20260110<TRNAMT>-1.50<FITID>F${at}<NAME>Deli ${at}`
    return `<STMTTRN><TRNTYPE>DEBIT${fields}</STMTTRN>`
  })
  const statements = accounts.map(
    (number) =>
      `<STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>${number}</BANKACCTFROM>` +
      `<BANKTRANLIST>${rows.join('')}</BANKTRANLIST>` +
      '<LEDGERBAL><BALAMT>700.00<DTASOF>20260115</LEDGERBAL></STMTRS>',
  )
  return `<OFX>${statements.join('')}</OFX>`
}

/** A person with a bank account for each account of the file, and requests about them. */
async function createHome({ deployment, read }: Killable) {
  const person = await newPerson(deployment.baseUrl)
  const ids: string[] = []
  for (const _ of accounts) ids.push((await person.createBankAccount(100)).id)
  const statements = accounts.map((statement, at) => ({ statement, bankAccountId: ids[at] }))
  const send = async (): Promise<string> => {
    const form = new FormData()
    form.set('data', new Blob([fileOf()]), 'all.ofx')
    form.set('statements', JSON.stringify(statements))
    const { status, body } = await person.call('POST', '/uploads', { form })
    expect(status).toBe(200)
    return body.uploadGroupId
  }
  const ended = (id: string): Promise<Json> =>
    eventually(
      () => person.get(`/uploads/${id}`),
      ({ status }) => status !== 'processing',
      120_000,
    )
  const countStored = async (): Promise<number> =>
    (
      await read(
        'SELECT count(*)::int AS count FROM ledger.transactions WHERE account_id = $1',
        person.accountId,
      )
    ).count
  return { person, ids, send, ended, countStored }
}

/** Returns the sums of the counts of all imports of a group. */
function sumsOf({ statements }: Json) {
  const sum = (name: string) =>
    statements.reduce((all: number, { upload }: Json) => all + upload[name], 0)
  return { imported: sum('importedCount'), known: sum('knownCount') }
}

async function balancesOf(person: Person, ids: readonly string[]): Promise<number[]> {
  const found = await Promise.all(ids.map((id) => person.get(`/bank_accounts/${id}/balances`)))
  return found.map(({ current }) => current)
}

/** Locks a bank account, so that no import into it ends, until the returned function is called. */
async function hold({ connect, reader }: Killable, id: string | undefined) {
  const holder = await connect()
  await holder.query('BEGIN')
  // Foreign keys of new rows do not wait for this lock, only changes of the money do.
  const row = 'SELECT FROM ledger.bank_accounts WHERE bank_account_id = $1 FOR NO KEY UPDATE'
  await holder.query(row, [id])
  return async () => {
    // Postgres does not notice that the client of a waiting statement is gone.
    await reader.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    await holder.query('ROLLBACK')
  }
}

const isWaiting = async ({ read }: Killable): Promise<boolean> =>
  (
    await read(`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  ).count > 0

/**
 * Prepares an upload of several accounts. The kill follows the answer at once, while no event is
 * published, or comes when all imports but one have ended and that one has inserted its rows.
 */
export async function prepareGroupImport(
  killable: Killable,
  isPublished: boolean,
): Promise<Interrupted> {
  const { person, ids, send, ended, countStored } = await createHome(killable)
  const release = isPublished ? await hold(killable, ids.at(-1)) : async () => {}
  const isBetween = async () =>
    (await countStored()) === rowCount * (ids.length - 1) && (await isWaiting(killable))
  const groups: string[] = []
  return {
    act: async () => {
      groups.push(await send())
      if (isPublished) await eventually(isBetween, Boolean, 90_000)
    },
    whileDown: async () => {
      await release()
      expect(await countStored()).toBe(isPublished ? rowCount * (ids.length - 1) : 0)
    },
    afterRestart: async () => {
      const all = rowCount * ids.length
      const group = await ended(groups[0] ?? '')
      expect({ status: group.status, ...sumsOf(group) }).toEqual({
        status: 'complete',
        imported: all,
        known: 0,
      })
      expect(await countStored()).toBe(all)
      expect(await balancesOf(person, ids)).toEqual([70_000, 70_000, 70_000])
      const again = await ended(await send())
      expect(sumsOf(again)).toEqual({ imported: 0, known: all })
      await person.call('DELETE', `/uploads/${groups[0]}`)
      expect(await countStored()).toBe(0)
      expect(await balancesOf(person, ids)).toEqual([100, 100, 100])
    },
  }
}

/**
 * Prepares the undo of an upload of several accounts. The kill comes when all transactions are
 * removed and the money of all bank accounts but one has changed, before the commit.
 */
export async function prepareGroupUndo(killable: Killable): Promise<Interrupted> {
  const { person, ids, send, ended, countStored } = await createHome(killable)
  const id = await send()
  expect(await ended(id)).toMatchObject({ status: 'complete' })
  const release = await hold(killable, ids.toSorted().at(-1))
  const undo = () => person.call('DELETE', `/uploads/${id}`)
  return {
    act: async () => {
      // Ends with the process: nothing answers it.
      void undo().catch(() => null)
      await eventually(() => isWaiting(killable), Boolean, 60_000)
    },
    whileDown: async () => {
      await release()
      expect(await countStored()).toBe(rowCount * ids.length)
    },
    afterRestart: async () => {
      expect(await person.get(`/uploads/${id}`)).toMatchObject({ undoneAt: null })
      expect(await balancesOf(person, ids)).toEqual([70_000, 70_000, 70_000])
      for (const _ of ['undone', 'a repetition']) {
        expect(await undo()).toMatchObject({ status: 200 })
        expect(await countStored()).toBe(0)
        expect(await balancesOf(person, ids)).toEqual([100, 100, 100])
      }
      const again = await ended(await send())
      expect(sumsOf(again)).toEqual({ imported: rowCount * ids.length, known: 0 })
    },
  }
}
