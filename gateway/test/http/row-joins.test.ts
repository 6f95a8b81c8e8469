import { afterEach, expect, test } from '@jest/globals'
import { createFileStub, formOf } from '../forms.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids, upload } from '../samples.ts'

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

const file = new File(['<OFX>'], 'june.qfx')
const joins = [{ uploadIdentifier: 'row 1', transactionId: ids.transactionId }]

test('the joins of a form go to the ledger with its file', async () => {
  const { take, taken } = createFileStub(() => ({ upload }))
  const stubs = { uploads: { createUpload: take } }
  gateway = await createGateway(stubs, { COFFER_UPLOADS_ENABLED: 'true' })
  const post = async (form: Parameters<typeof formOf>[0]) =>
    gateway.send('POST', `${accountUrl}/transactions/upload`, await formOf(form))
  const parts: Parameters<typeof formOf>[0][] = [
    { joins: JSON.stringify(joins), data: file },
    { data: file, joins: JSON.stringify(joins) },
  ]
  for (const form of parts) {
    expect((await post(form)).status).toBe(200)
    expect(taken.at(-1)).toMatchObject({ joins })
  }
  const many = JSON.stringify(Array.from({ length: 501 }, () => joins[0]))
  const refused: [form: Parameters<typeof formOf>[0], problems: object][] = [
    [{ joins: 'row 1', data: file }, { joins: 'must be a list of objects in JSON' }],
    [{ joins: many, data: file }, { joins: 'must have at most 500 items' }],
    [
      { joins: '[{"uploadIdentifier":"row 1"}]', data: file },
      { joins: { 0: { transactionId: 'required key is missing' } } },
    ],
  ]
  for (const [form, problems] of refused) {
    expect(await post(form)).toMatchObject({ status: 400, body: { problems } })
  }
})
