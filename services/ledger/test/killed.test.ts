import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { type Booted, boot } from '@coffer/kit/testing/boot'
import { mortalOf } from '@coffer/kit/testing/mortal'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { CallOptions } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditLedger } from '../src/audit.sql.ts'
import { ledger } from '../src/service.ts'
import { household } from './household.ts'
import { anItem, byService, syncedHome } from './syncing.ts'
import { sendFile, statementOf } from './uploading.ts'

const mortal = mortalOf(ledger)
let booted: Booted
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-killed-'))
  const settings = { COFFER_DATA_DIR: dataDir, COFFER_SIMILAR_QUIET_SECONDS: '3600' }
  booted = await boot([mortal.definition], settings)
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

/** What a process does, and what can be seen of it from outside. */
interface Path {
  run: () => Promise<unknown>
  look: () => Promise<unknown>
}

const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))
const bill = { name: 'Bill', amount: 300n, date, adjustsBalance: true }

/** A household of 1000.00 with 10.00 in an expense, and what can be seen of it. */
async function place() {
  const home = await household(booted, { availableBalance: 100_000n, currentBalance: 100_000n })
  const { envelopes, transactions, bankAccountId, as } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 1_000n }, as)
  const keyed = {
    headers: { ...as.headers, [headers.idempotencyKey]: newId('k'), [headers.bodyHash]: 'ab' },
  } as CallOptions
  const look = async () => {
    const { available, current, expenses } = (await home.balances()) ?? {}
    const listed = await transactions.listTransactions({ bankAccountId, limit: 100 }, as)
    const held = (await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes
    const amounts = held.map(({ currentAmount }) => currentAmount)
    return [available, current, expenses, listed.transactions.length, ...amounts].map(Number)
  }
  return { ...home, spendingId, keyed, look }
}

const file = new TextEncoder().encode(
  statementOf(Object.fromEntries(Array.from({ length: 600 }, (_, id) => [`r${id}`, '-1.00'])), {
    ledger: '700.00',
    available: '600.00',
  }),
)

/** Sends a file, and has it imported as its workflow does. */
async function fileImport() {
  const home = await place()
  const key = { accountId: home.accountId, ...(await sendFile(home, file)) }
  const { startImport, importFile } = mortal.activities() as Record<
    string,
    (of: typeof key) => Promise<unknown>
  >
  const run = async () => {
    await startImport?.(key)
    await importFile?.(key)
  }
  return { home, key, run }
}

const paths: Record<string, () => Promise<Path>> = {
  'a request': async () => {
    const { transactions, bankAccountId, spendingId, keyed, look } = await place()
    return {
      run: () => transactions.createTransaction({ ...bill, bankAccountId, spendingId }, keyed),
      look,
    }
  },
  'a transfer': async () => {
    const { envelopes, bankAccountId, spendingId, keyed, look } = await place()
    const body = { bankAccountId, fromSpendingId: spendingId, amount: 10n }
    return { run: () => envelopes.transfer(body, keyed), look }
  },
  'many in one request': async () => {
    const { transactions, bankAccountId, spendingId, keyed, look } = await place()
    const body = { bankAccountId, transactions: [bill, { ...bill, spendingId }] }
    return { run: () => transactions.createTransactions(body, keyed), look }
  },
  'the closing of an envelope': async () => {
    const { envelopes, bankAccountId, spendingId, as, look } = await place()
    return { run: () => envelopes.closeEnvelope({ bankAccountId, spendingId }, as), look }
  },
  'a booking of the hourly job': async () => {
    const { accountId, bankAccountId, spendingId, look } = await place()
    const lines = [{ spendingId, amount: 100n, ceiling: 10_000n }]
    const run = { fundingRunId: newId('run'), fundingScheduleId: newId('fund'), lines }
    const value = { bankAccountId, ...run }
    const bookings = [{ accountId, operation: { case: 'funding' as const, value } }]
    const scheduled = booted.client('ledger', ScheduledService)
    return { run: () => scheduled.book({ bookings }, byService(booted, '', 'budgeting')), look }
  },
  'the import of a file': async () => {
    const { home, run } = await fileImport()
    return { run, look: home.look }
  },
  'the undo of an import': async () => {
    const { home, key, run } = await fileImport()
    await run()
    return { run: () => home.uploads.undoUpload(key, home.as), look: home.look }
  },
  'a page of a sync': async () => {
    const home = await syncedHome(booted)
    const items = [anItem(), anItem({ amount: 5n })]
    return {
      run: () => home.brings(...items),
      look: async () => (await home.all()).map(({ amount }) => Number(amount)),
    }
  },
  'a deleted link': async () => {
    const { links, linkId, accountId, as, look } = await place()
    const { removeLinkRows } = mortal.activities() as Record<
      string,
      (of: { accountId: string; linkId: string }) => Promise<unknown>
    >
    return {
      run: async () => {
        const { link } = await links.getLink({ linkId }, as)
        if (!link?.deletedAt) await links.deleteLink({ linkId }, as)
        await removeLinkRows?.({ accountId, linkId })
      },
      look: () => look().catch(() => 'gone'),
    }
  },
}

test.each(Object.entries(paths))(
  '%s, killed before any step, is done wholly or not',
  async (_, make) => {
    const steps: unknown[] = []
    for (let step = 1, wasKilled = true; wasKilled; step += 1) {
      const { run, look } = await make()
      const before = await look()
      mortal.killBefore(step)
      const outcome = await run().then(
        () => 'done',
        () => 'not heard',
      )
      wasKilled = mortal.revive()
      const left = await look()
      await run()
      const after = await look()
      expect(after).not.toEqual(before)
      expect([before, after]).toContainEqual(left)
      if (outcome === 'done') expect(left).toEqual(after)
      steps.push(left)
    }
    // Some of the kills came before it was done, some after.
    expect(new Set(steps.map(String)).size).toBeGreaterThan(1)
    expect(await auditLedger(booted.database('ledger'))).toEqual([])
  },
)
