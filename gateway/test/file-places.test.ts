import { eventually } from '@coffer/kit/testing/boot'
import { expect, test } from '@jest/globals'
import { fileTaker, formOf } from './forms.ts'
import { openGateway } from './gateway.ts'
import { accountUrl, upload } from './samples.ts'

const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
const url = `${accountUrl}/transactions/upload`

test.each([
  ['', 'content-type: application/octet-stream'],
  ['', 'content-type: text/plain'],
  ['', ''],
  ['june.ofx', ''],
  ['june.ofx', 'content-type: application/vnd.intu.QBO'],
  ['june.ofx', 'content-type: nonsense'],
])('the part called data is a file, with the name %j and the header %j', async (name, header) => {
  const { take, taken } = fileTaker(() => ({ upload }))
  await using gateway = await openGateway({ uploads: { createUpload: take } }, uploadsOn)
  const fileName = name && `; filename="${name}"`
  const disposition = `content-disposition: form-data; name="data"${fileName}`
  const head = [disposition, header].filter((line) => line !== '').join('\r\n')
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const body = `--x\r\n${head}\r\n\r\n<OFX>\r\n--x--\r\n`
  const { status } = await gateway.send('POST', url, { body, headers })
  expect([status, taken]).toMatchObject([200, [{ name, text: '<OFX>' }]])
})

const file = new File(['<OFX>'], 'june.ofx')
const missing = 'required key is missing'
const unknown = 'key not expected'

test.each<[[string, string | File][], object]>([
  [[['note', 'x']], { data: missing }],
  [[['file', file]], { file: unknown, data: missing }],
  [Array(2).fill(['data', file]), { data: 'must be the only file of the form' }],
  [Object.entries({ data: file, other: file }), { other: unknown }],
  [Object.entries({ other: file, data: file }), { other: unknown, data: missing }],
])('a form is 400 unless its one file is named data: %#', async (parts, problems) => {
  const { take, taken } = fileTaker(() => ({ upload }))
  await using gateway = await openGateway({ uploads: { createUpload: take } }, uploadsOn)
  const { status, body } = await gateway.send('POST', url, await formOf(parts))
  expect([status, body.problems]).toEqual([400, problems])
  expect(taken).toEqual([])
})

test('ten files of an account may be on their way at a time', async () => {
  const held = Promise.withResolvers<{ upload: typeof upload }>()
  const createUpload = () => held.promise
  await using gateway = await openGateway({ uploads: { createUpload } }, uploadsOn)
  const form = await formOf({ data: file })
  const send = async () => (await gateway.send('POST', url, form)).status
  const running = Array.from({ length: 10 }, send)
  const arrived = async () => gateway.received.filter(({ rpc }) => rpc === 'CreateUpload').length
  await eventually(arrived, (count) => count === 10)
  expect(await send()).toBe(429)
  held.resolve({ upload })
  expect(await Promise.all(running)).toEqual(running.map(() => 200))
  expect(await send()).toBe(200)
})
