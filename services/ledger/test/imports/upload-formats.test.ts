import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { listed } from '../outcomes.ts'
import { partsOf } from './file-parts.ts'
import { fixture } from './importing.ts'

const booted = booting([ledger])

async function uploaded(home: Household, name: string) {
  const { uploads, bankAccountId, as } = home
  const file = { name, contentType: 'application/octet-stream', content: await fixture(name) }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
  return eventually(
    async () => (await uploads.getUpload(key, as)).upload,
    (one) => one?.status === 'complete' || one?.status === 'failed',
  )
}

test('QIF', async () => {
  const home = await createHousehold(booted)
  const done = await uploaded(home, 'bank.qif')
  expect(done).toMatchObject({ status: 'complete', importedCount: 5n, skippedCount: 0n })
  expect(done?.note).toContain('states no balances')
  const again = await uploaded(home, 'bank.qif')
  expect(again).toMatchObject({ status: 'complete', importedCount: 0n, skippedCount: 5n })
  expect((await listed(home)).map((one) => one.amount)).toEqual([
    4500n,
    -250000n,
    123456n,
    475n,
    475n,
  ])
})

test('CAMT.053, in the currency of the account only', async () => {
  const dollars = await createHousehold(booted)
  expect(await uploaded(dollars, 'camt-053-v2.xml')).toMatchObject({
    status: 'failed',
    error: 'The file is in EUR, the account in USD: choose another account',
  })
  const euros = await createHousehold(booted, { currency: 'EUR' })
  expect(await uploaded(euros, 'camt-053-v2.xml')).toMatchObject({
    status: 'complete',
    importedCount: 7n,
    skippedCount: 1n,
  })
  expect(await euros.balances()).toMatchObject({ current: 306450n, available: 300000n })
  expect(await listed(euros)).toHaveLength(7)
})
