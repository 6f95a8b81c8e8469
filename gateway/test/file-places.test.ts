import { eventually } from '@coffer/kit/testing/boot'
import { expect, test } from '@jest/globals'
import { fileTaker, formOf } from './forms.ts'
import { openGateway } from './gateway.ts'
import { accountUrl, upload } from './samples.ts'

const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
const url = `${accountUrl}/transactions/upload`

test('a part with the type of a file, but without a name for it, is a file', async () => {
  const { take, taken } = fileTaker(() => ({ upload }))
  await using gateway = await openGateway({ uploads: { createUpload: take } }, uploadsOn)
  const type = 'application/octet-stream'
  const disposition = 'content-disposition: form-data; name="data"'
  const part = `--x\r\n${disposition}\r\ncontent-type: ${type}\r\n\r\n<OFX>\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const { status } = await gateway.send('POST', url, { body: `${part}--x--\r\n`, headers })
  expect([status, taken]).toMatchObject([200, [{ name: '', contentType: type, text: '<OFX>' }]])
})

test('ten files of an account may be on their way at a time', async () => {
  const held = Promise.withResolvers<{ upload: typeof upload }>()
  const createUpload = () => held.promise
  await using gateway = await openGateway({ uploads: { createUpload } }, uploadsOn)
  const form = await formOf({ data: new File(['<OFX>'], 'june.ofx') })
  const send = async () => (await gateway.send('POST', url, form)).status
  const running = Array.from({ length: 10 }, send)
  const arrived = async () => gateway.received.filter(({ rpc }) => rpc === 'CreateUpload').length
  await eventually(arrived, (count) => count === 10)
  expect(await send()).toBe(429)
  held.resolve({ upload })
  expect(await Promise.all(running)).toEqual(running.map(() => 200))
  expect(await send()).toBe(200)
})
