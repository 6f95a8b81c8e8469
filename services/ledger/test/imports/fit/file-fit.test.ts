import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { expect, test } from '@jest/globals'
import { ledger } from '../../../src/service.ts'
import { partsOf } from '../file-parts.ts'
import { headers, importing } from '../importing.ts'
import { importFile, undo } from '../uploading.ts'

const booted = booting([ledger])

const ofx = (number: string, id: number) => `<OFX>
<STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>${number}<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><STMTTRN><FITID>${id}<DTPOSTED>20260110<TRNAMT>-1<NAME>A</STMTTRN></BANKTRANLIST>
</STMTRS></OFX>`

async function misfitsOf({ uploads, bankAccountId, as }: Household, number: string) {
  const content = new TextEncoder().encode(ofx(number, 2))
  const file = { name: 'a.ofx', content, preview: true }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  return upload?.preview?.misfits
}

test('a bank account without a mask is known by the number of its first file', async () => {
  const home = await createHousehold(booted)
  expect(await misfitsOf(home, '998821')).toEqual([])
  const { transactionUploadId } = await importFile(home, ofx('00314417', 1))
  expect(await misfitsOf(home, '998821')).toMatchObject([{ reason: 'number', stated: '998821' }])
  expect(await misfitsOf(home, '00314417')).toEqual([])
  await undo(home, transactionUploadId)
  expect(await misfitsOf(home, '998821')).toEqual([])
})

test('the number of the only account of a CSV file is compared too', async () => {
  const home = await createHousehold(booted)
  await importFile(home, ofx('00314417', 1))
  const file = (number: string) =>
    new TextEncoder().encode(`${headers},Account\nx1,01/10/2026,A,,-1.00,,Posted,${number}\n`)
  const { previewed } = importing(booted)
  const { preview } = await previewed(home, file('55 998821'))
  expect(preview).toMatchObject({ misfits: [{ reason: 'number', stated: '55 998821' }] })
  expect((await previewed(home, file('55314417'))).preview).toMatchObject({ misfits: [] })
})

test('the number above the columns of a CSV file is compared with a former one', async () => {
  const home = await createHousehold(booted)
  const { previewed, processed } = importing(booted)
  const row = 'x1,01/10/2026,A,,-1.00,,Posted'
  const bytes = (file: string) => new TextEncoder().encode(file)
  const former = `${headers},Account\n${row},DE89370400440532013000\n`
  expect(await processed(home, bytes(former))).toMatchObject({ status: 'complete' })
  // The last digits of the first number are within the second one.
  const below = (iban: string) => bytes(`Giro,${iban}\n${headers}\n${row}\n`)
  const stated = 'DE02 1203 0000 0000 2020 51'
  const { preview } = await previewed(home, below(stated))
  expect(preview).toMatchObject({ misfits: [{ reason: 'number', stated }] })
  const own = await previewed(home, below('DE89 3704 0044 0532 0130 00'))
  expect(own.preview).toMatchObject({ misfits: [] })
})
