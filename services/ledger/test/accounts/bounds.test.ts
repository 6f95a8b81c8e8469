import { counted as statementsOf } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { headers } from '@coffer/kit/rpc/rpc'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { partsOf } from '../imports/file-parts.ts'
import { importing } from '../imports/importing.ts'
import { importFile, sendFile, statementOf } from '../imports/uploading.ts'
import { anAccount, byService } from '../syncs/syncing.ts'

const max = 3
const booted = booting([ledger], {
  COFFER_LINKS_MAX: `${max}`,
  COFFER_BANK_ACCOUNTS_MAX: `${max}`,
  COFFER_ENVELOPES_MAX: `${max}`,
  COFFER_MAPPINGS_MAX: `${max}`,
  COFFER_UPLOADS_MAX: `${max}`,
})

/** Returns the refusal text of a call; null if the call is accepted. */
function refusal(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error) => ConnectError.from(error).message,
  )
}

const openEnvelope = ({ envelopes, bankAccountId, as }: Household, spendingId = newId('spnd')) =>
  envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'goal' }, as)

/**
 * Each kind of object: how many a new household has (`first`), a call that creates one, and the
 * error of this call at the maximum.
 */
const kinds = [
  {
    kind: 'links',
    first: 1,
    create: ({ links, as }: Household) => links.createLink({ institutionName: 'Bank' }, as),
    text: 'an account has at most 3 links: delete one first',
  },
  {
    kind: 'bank accounts',
    first: 1,
    create: ({ accounts, linkId, as }: Household) =>
      accounts.createBankAccount({ linkId, name: 'More' }, as),
    text: 'an account has at most 3 bank accounts, archived ones too: delete a link first',
  },
  {
    kind: 'envelopes',
    first: 0,
    create: (home: Household) => openEnvelope(home),
    text: 'a bank account has at most 3 expenses and goals: delete one first',
  },
  {
    kind: 'mappings',
    first: 0,
    create: (home: Household) => importing(booted).createMapping(home),
    text: 'an account has at most 3 mappings: delete one first',
  },
]

test.each(kinds)('$kind are created up to the bound, also by concurrent calls', async (of) => {
  const home = await createHousehold(booted)
  const answers = await Promise.all(Array.from({ length: 6 }, () => refusal(of.create(home))))
  const refused = answers.filter((answer) => answer !== null)
  expect(refused).toHaveLength(6 - max + of.first)
  expect(new Set(refused)).toEqual(new Set([`[failed_precondition] ${of.text}`]))
  const other = await createHousehold(booted)
  expect(await refusal(of.create(other))).toBeNull()
})

test('deleted objects do not count', async () => {
  const home = await createHousehold(booted)
  const { links, envelopes, linkId, bankAccountId, as } = home
  const spendingIds = Array.from({ length: max }, () => newId('spnd'))
  for (const spendingId of spendingIds) await openEnvelope(home, spendingId)
  expect(await refusal(openEnvelope(home))).not.toBeNull()
  // Idempotency: at the maximum, repeating the creation of an existing envelope is not refused.
  expect(await refusal(openEnvelope(home, spendingIds[0]))).toBeNull()
  await envelopes.closeEnvelope({ bankAccountId, spendingId: spendingIds[0] ?? '' }, as)
  expect(await refusal(openEnvelope(home))).toBeNull()
  const create = () => links.createLink({ institutionName: 'Bank' }, as)
  await Promise.all([create(), create()])
  expect(await refusal(create())).not.toBeNull()
  await links.deleteLink({ linkId }, as)
  expect(await refusal(create())).toBeNull()
})

test('a repeated request under an Idempotency-Key gets its first reply at the bound', async () => {
  const { links, as } = await createHousehold(booted)
  const keyed = (key: string): CallOptions => {
    const added = { [headers.idempotencyKey]: key, [headers.bodyHash]: 'ab' }
    return { ...as, headers: added }
  }
  const create = (key: string) => links.createLink({ institutionName: 'Bank' }, keyed(key))
  await create('one')
  const { link } = await create('two')
  expect(await refusal(create('three'))).not.toBeNull()
  expect((await create('two')).link).toEqual(link)
})

test('syncs stay within the bounds', async () => {
  const accountId = newId('acct')
  const as = byService(booted, accountId)
  const sync = booted.client('ledger', SyncImportService)
  const linkIds = Array.from({ length: max + 1 }, () => newId('link'))
  const upsertLink = (linkId: string) =>
    sync.upsertLink({ linkId, institutionName: 'Bank', createdBy: 'user_1' }, as)
  for (const linkId of linkIds.slice(0, max)) await upsertLink(linkId)
  expect(await refusal(upsertLink(linkIds[max] ?? ''))).toContain('at most 3 links')
  const [linkId = ''] = linkIds
  expect(await upsertLink(linkId)).toMatchObject({ isNew: false })
  const accounts = Array.from({ length: max + 1 }, () => anAccount())
  const upsert = (count: number) =>
    sync.upsertBankAccounts({ linkId, accounts: accounts.slice(0, count) }, as)
  expect(await refusal(upsert(max + 1))).toContain('at most 3 bank accounts')
  expect(await refusal(upsert(max))).toBeNull()
  expect(await refusal(upsert(max))).toBeNull()
})

test('one more unfinished upload than the bound is refused before its body is read', async () => {
  const home = await createHousehold(booted)
  const file = (id: number) => new TextEncoder().encode(statementOf({ [id]: '-1.00' }))
  for (let id = 1; id <= max; id++) await importFile(home, statementOf({ [id]: '-1.00' }))
  const { pool } = booted.database('ledger')
  const setStatus = (status: string) =>
    pool.query(sql.unsafe`
      UPDATE uploads SET status = ${status} WHERE account_id = ${home.accountId}`)
  await setStatus('processing')
  const { uploads, bankAccountId, as } = home
  const name = { name: 'export.ofx', contentType: 'application/octet-stream' }
  const large = new TextEncoder().encode(statementOf({ 4: '-1.00' }).padEnd(5 * 1024 * 1024))
  let sent = 0
  async function* counted() {
    for await (const part of partsOf({ bankAccountId, ...name, content: large })) {
      sent++
      yield part
    }
  }
  expect(await refusal(uploads.createUpload(counted(), as))).toContain(
    'at most 3 uploads of an account are under way: wait until one is complete',
  )
  expect(sent).toBeLessThan(40)
  await setStatus('complete')
  expect(await refusal(sendFile(home, file(5)))).toBeNull()
})

test('a bound costs two statements', async () => {
  // A count may include statements of the outbox relay, which runs concurrently. The minimum has
  // none of them.
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 30 && least > statementsMax.createLink; time += 1) {
    const { links, as } = await createHousehold(booted)
    const create = () => links.createLink({ institutionName: 'Bank' }, as)
    least = Math.min(least, (await statementsOf(booted.database('ledger'), create)).count)
  }
  expect(least).toBeLessThanOrEqual(statementsMax.createLink)
})
