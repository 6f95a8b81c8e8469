import { eventually, holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { TagService } from '@coffer/proto/ledger/v1/tag'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { importFile, statementOf } from '../imports/uploading.ts'
import { aRow, syncedHome } from '../syncs/syncing.ts'
import { rulingOf, runningOf } from './ruling.ts'

const booted = auditing(booting([ledger]))

test('a run goes on with the new name of a tag, also on a page that is being saved', async () => {
  const home = await syncedHome(booted)
  const { accountId, bankAccountId, as } = home
  await home.brings(aRow({ originalName: 'ROW' }))
  const second = await createHousehold(booted, { accountId })
  await importFile(second, statementOf({ r: '-1.00' }))
  const row = { originalName: { kind: 'contains', text: 'row' } }
  await rulingOf(booted)(home).write(
    { conditions: row, actions: { name: 'Row' } },
    { conditions: row, actions: { tags: ['food'] } },
  )
  const database = booted.database('ledger')
  const { untilAwaited, release } = await holdTransaction(
    database,
    sql.unsafe`SELECT FROM bank_accounts WHERE account_id = ${accountId}
      AND bank_account_id = ${bankAccountId} FOR NO KEY UPDATE`,
  )
  const { start, ended } = runningOf(booted)(home)
  const run = await start()
  await untilAwaited()
  const tags = booted.client('ledger', TagService)
  const renaming = tags.renameTags({ tags: ['food'], name: 'Meals' }, as)
  const waiting = eventually(
    () =>
      database.pool.oneFirst(sql.type(z.object({ count: z.bigint() }))`
        SELECT count(*) AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`),
    (count) => count >= 2n,
  )
  await Promise.race([renaming, waiting])
  await release()
  await renaming
  expect(await ended(run?.ruleRunId)).toMatchObject({ status: 'complete', changedCount: 2n })
  const lists = [bankAccountId, second.bankAccountId].map((id) =>
    home.transactions.listTransactions({ bankAccountId: id, limit: 9, offset: 0 }, as),
  )
  for (const { transactions } of await Promise.all(lists))
    expect(transactions).toMatchObject([{ name: 'Row', tags: ['Meals'] }])
})
