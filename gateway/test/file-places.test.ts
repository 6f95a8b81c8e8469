import { eventually } from '@coffer/kit/testing/boot'
import { expect, test } from '@jest/globals'
import { formOf } from './forms.ts'
import { openGateway } from './gateway.ts'
import { accountUrl, upload } from './samples.ts'

test('ten files of an account may be on their way at a time', async () => {
  const held = Promise.withResolvers<{ upload: typeof upload }>()
  const createUpload = () => held.promise
  const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
  const gateway = await openGateway({ uploads: { createUpload } }, uploadsOn)
  const form = await formOf({ data: new File(['<OFX>'], 'june.ofx') })
  const send = async () =>
    (await gateway.send('POST', `${accountUrl}/transactions/upload`, form)).status
  const running = Array.from({ length: 10 }, send)
  const arrived = async () => gateway.received.filter(({ rpc }) => rpc === 'CreateUpload').length
  await eventually(arrived, (count) => count === 10)
  expect(await send()).toBe(429)
  held.resolve({ upload })
  expect(await Promise.all(running)).toEqual(running.map(() => 200))
  expect(await send()).toBe(200)
  await gateway[Symbol.asyncDispose]()
})
